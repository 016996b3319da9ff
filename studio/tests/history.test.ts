import { describe, expect, it } from "vitest";
import { History } from "../src/core/history";

describe("undo and redo", () => {
  it("give back every value, in order", () => {
    const h = new History(0);
    for (const v of [1, 2, 3]) h.set(v, `to ${v}`);
    const seen = [h.now.value];
    while (h.canUndo.value) (h.undo(), seen.push(h.now.value));
    expect(seen).toEqual([3, 2, 1, 0]);
    while (h.canRedo.value) h.redo();
    expect(h.now.value).toBe(3);
  });
  it("take a drag as one step, and the next drag as another", () => {
    const h = new History(0);
    for (const v of [1, 2, 3]) h.set(v, "drag", "point 1");
    h.settle();
    for (const v of [4, 5]) h.set(v, "drag", "point 1");
    h.undo();
    expect(h.now.value).toBe(3);
    h.undo();
    expect(h.now.value).toBe(0);
  });
  it("forget what was undone when something else is done", () => {
    const h = new History("a");
    h.set("b", "b");
    h.undo();
    h.set("c", "c");
    expect(h.canRedo.value).toBe(false);
    h.undo();
    expect(h.now.value).toBe("a");
  });
  it("keep a bounded past", () => {
    const h = new History(0);
    for (let v = 1; v <= 1000; v++) h.set(v, "more");
    let steps = 0;
    while (h.canUndo.value) (h.undo(), steps++);
    expect(steps).toBe(300);
  });
});
