/** What is fetched from the server, with its token. */

import { Connection, Refused } from "./connection";
import type { About, Dropped, Figure, Ground, Project, Trouble } from "./protocol";
import { unpack, type Packet } from "./wire";

/** The token of the address, kept for this tab, so that the address can be read aloud. */
function tokenOf(): string {
  const given = new URLSearchParams(location.search).get("token");
  if (given) {
    sessionStorage.setItem("gambol.token", given);
    const rest = new URL(location.href);
    rest.searchParams.delete("token");
    history.replaceState(null, "", rest);
  }
  return given ?? sessionStorage.getItem("gambol.token") ?? "";
}

function tabOf(): string {
  const known = sessionStorage.getItem("gambol.tab");
  const tab = known ?? crypto.randomUUID();
  sessionStorage.setItem("gambol.tab", tab);
  return tab;
}

export class Server {
  readonly token = tokenOf();
  readonly tab = tabOf();

  connect(): Connection {
    const base = location.origin.replace(/^http/, "ws");
    return new Connection(`${base}/ws?token=${encodeURIComponent(this.token)}&tab=${encodeURIComponent(this.tab)}`);
  }

  about(): Promise<About> {
    return this.json("GET", "/api/about");
  }

  projects(): Promise<{ name: string; title: string; changed: number }[]> {
    return this.json("GET", "/api/projects");
  }

  project(name: string): Promise<Project> {
    return this.json("GET", `/api/projects/${encodeURIComponent(name)}`);
  }

  keep(name: string, project: Project): Promise<void> {
    return this.json("PUT", `/api/projects/${encodeURIComponent(name)}`, project);
  }

  drop(file: File): Promise<Dropped> {
    return this.request("POST", `/api/files?name=${encodeURIComponent(file.name)}`, file).then((r) => r.json());
  }

  async file(id: string): Promise<ArrayBuffer> {
    return (await this.request("GET", `/api/files/${encodeURIComponent(id)}`)).arrayBuffer();
  }

  async figure(figure: Figure): Promise<ArrayBuffer> {
    return (await this.request("POST", "/api/figure", JSON.stringify(figure))).arrayBuffer();
  }

  async ground(ground: Ground): Promise<Packet> {
    return unpack(await (await this.request("POST", "/api/ground", JSON.stringify(ground))).arrayBuffer());
  }

  /** Small pictures of the postures of a figure's base. */
  thumbs(figure: Figure): Promise<{ names: string[]; columns: number; sheet: string }> {
    return this.json("POST", "/api/thumbs", figure);
  }

  /** The address of a made file, for a link that downloads it. */
  download(url: string): string {
    return `${url}?token=${encodeURIComponent(this.token)}`;
  }

  private async json<T>(verb: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.request(verb, path, body === undefined ? undefined : JSON.stringify(body));
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  private async request(verb: string, path: string, body?: BodyInit): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(path, { method: verb, headers: { Authorization: `Bearer ${this.token}` }, body: body ?? null });
    } catch {
      throw new Refused({ what: "the studio does not answer", where: "", allowed: "", do: "is `gambol studio` still running?" });
    }
    if (answer.ok) return answer;
    let trouble: Trouble = { what: `the studio answered ${answer.status}`, where: path, allowed: "", do: "" };
    try {
      trouble = ((await answer.json()) as { error: Trouble }).error ?? trouble;
    } catch {
      // no JSON: the sentence above stands
    }
    throw new Refused(trouble);
  }
}
