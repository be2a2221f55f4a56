/** Does long work in short slices, so that the page stays responsive. */

const SLICE = 25; // milliseconds: short enough that the page does not seem to freeze
const LOOKED = 64; // items between two looks at the clock

/**
 * Call *act* for all *items*, in order.
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
  await breath(); // a fast machine does it in one slice; it can still be aborted here
  signal?.throwIfAborted();
}

/** Let the page do other work. */
function breath() {
  return new Promise((go) => { setTimeout(go, 0); });
}
