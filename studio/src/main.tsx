/** Begin: ask what there is, open the project of this tab, show the page. */

import { render } from "preact";
import { Server } from "./core/server";
import { Store } from "./core/store";
import { App } from "./ui/app";
import "./theme.css";

async function main(): Promise<void> {
  const root = document.getElementById("app")!;
  const server = new Server();
  try {
    const about = await server.about();
    const store = new Store(server, server.connect(), about);
    await store.resume();
    render(<App store={store} />, root);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    render(<div class="sorry"><h1>gambol studio</h1><p>{said}</p></div>, root);
  }
}

void main();
