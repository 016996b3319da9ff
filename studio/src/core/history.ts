/** Undo and redo: a list of values. */

import { computed, signal, type ReadonlySignal } from "@preact/signals";

const MOST = 300;

export class History<T> {
  readonly now: ReadonlySignal<T>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  private readonly past = signal<readonly { value: T; doing: string }[]>([]);
  private readonly present;
  private readonly future = signal<readonly { value: T; doing: string }[]>([]);
  private merging: string | null = null;

  constructor(first: T) {
    this.present = signal({ value: first, doing: "" });
    this.now = computed(() => this.present.value.value);
    this.canUndo = computed(() => this.past.value.length > 0);
    this.canRedo = computed(() => this.future.value.length > 0);
  }

  /** What undo would take back. */
  get undoing(): string {
    return this.present.value.doing;
  }

  get redoing(): string {
    return this.future.value.at(-1)?.doing ?? "";
  }

  /** A new value. Changes with the same `merge`, one after another, are one step to undo: a drag, a slider. */
  set(value: T, doing: string, merge: string | null = null): void {
    if (value === this.present.value.value) return;
    if (merge === null || merge !== this.merging) this.past.value = [...this.past.value.slice(1 - MOST), this.present.value];
    this.merging = merge;
    this.present.value = { value, doing };
    this.future.value = [];
  }

  /** The end of a drag: what comes next is a step of its own. */
  settle(): void {
    this.merging = null;
  }

  undo(): void {
    const before = this.past.value.at(-1);
    if (!before) return;
    this.future.value = [...this.future.value, this.present.value];
    this.past.value = this.past.value.slice(0, -1);
    this.present.value = before;
    this.merging = null;
  }

  redo(): void {
    const after = this.future.value.at(-1);
    if (!after) return;
    this.past.value = [...this.past.value, this.present.value];
    this.future.value = this.future.value.slice(0, -1);
    this.present.value = after;
    this.merging = null;
  }

  /** Another value altogether, as when a project is opened. */
  restart(value: T): void {
    this.past.value = [];
    this.future.value = [];
    this.present.value = { value, doing: "" };
    this.merging = null;
  }
}
