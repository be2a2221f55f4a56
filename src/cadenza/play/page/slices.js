/** Long work in short bits: in between, the page shows what is new and hears who uses it. */

const SLICE = 25; // milliseconds: with it, and what a frame needs besides, nothing is seen to stand still
const LOOKED = 64; // how many are done before looking at the clock

/**
 * Give every one of *items* to *act*, in their order.
 * @param {unknown[]} items
 * @param {(item: unknown, index: number) => void} act
 * @param {AbortSignal} [signal] rejects when it is aborted
 */
export async function eachInSlices(items, act, signal) {
  let until = performance.now() + SLICE;
  for (let index = 0; index < items.length; index += 1) {
    act(items[index], index);
    if (index % LOOKED === 0 && performance.now() > until) {
      await breath();
      signal?.throwIfAborted();
      until = performance.now() + SLICE;
    }
  }
  await breath(); // a quick machine has it all in one slice, and may still be told that nobody wants it
  signal?.throwIfAborted();
}

/** Let the page do what else there is to do. */
function breath() {
  return new Promise((go) => { setTimeout(go, 0); });
}
