/** How a slider's way is parted among values: finely where values usually lie, coarsely where they hardly ever do. */

/** The last position of a slider; the first is 0. */
export const POSITIONS = 200;

const STEEPEST = 12;
const WHEN_LOWEST_IS_USUAL = 4;

/** Converts between positions of a slider and values; *usual* is in the middle. */
export class Scale {
  #low;
  #high;
  #power;
  #isWhole;

  constructor({ low, high, usual, isWhole }) {
    this.#low = low;
    this.#high = high;
    this.#isWhole = isWhole;
    this.#power = powerFor(high - low, usual - low);
  }

  /** The value at a position, rounded to what a person would have said. */
  valueAt(position) {
    const share = Math.min(Math.max(position / POSITIONS, 0), 1);
    const exact = this.#low + (this.#high - this.#low) * share ** this.#power;
    if (share === 0 || share === 1) return share === 0 ? this.#low : this.#high;
    const rounded = Number(exact.toPrecision(exact >= 1000 ? 3 : 2));
    const value = this.#isWhole ? Math.round(rounded) : rounded;
    return Math.min(Math.max(value, this.#low), this.#high);
  }

  /** The position at which a value lies. */
  positionOf(value) {
    const share = (Math.min(Math.max(value, this.#low), this.#high) - this.#low) / (this.#high - this.#low);
    return Math.round(POSITIONS * share ** (1 / this.#power));
  }
}

function powerFor(span, usual) {
  if (!(usual > 0)) return span > POSITIONS ? WHEN_LOWEST_IS_USUAL : 1;
  return Math.min(Math.max(Math.log2(span / usual), 1), STEEPEST);
}
