/** The lanes of a reply, painted: an axis, what is chosen, and each thing in its lane. */

import { LANES, colourOf, firstFrom } from "cadenza/lanes.js";
import { ROW, SHAPES } from "cadenza/shapes.js";

/** How high the axis is, in pixels. */
export const AXIS = 18;
/** How high all of it is. */
export const HEIGHT = AXIS + ROW * LANES.length;

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];
const COLOURS = {
  text: "--in-text", thought: "--in-thought", held: "--in-held", rule: "--in-rule", typing: "--in-typing", limit: "--in-limit",
  wait: "--in-wait", sending: "--in-sending", bad: "--bad", ink: "--ink", ink2: "--ink-2", line: "--line", ground: "--ground",
  m0: "--m0", m1: "--m1", m2: "--m2", m3: "--m3", m4: "--m4", m5: "--m5", on: "--on-m",
};

/**
 * Paint all that *timeline* shows now.
 * @param {CanvasRenderingContext2D} brush
 * @param {object} timeline a `Timeline`: its turn, its visible part, and the position of a time
 */
export function paint(brush, timeline) {
  const palette = paletteOf(timeline.root);
  brush.clearRect(0, 0, timeline.width, HEIGHT);
  axis(brush, palette, timeline);
  highlight(brush, palette, timeline);
  LANES.forEach((lane, index) => {
    const top = AXIS + ROW * index;
    brush.fillStyle = palette.line;
    brush.fillRect(0, top, timeline.width, 1);
    if (lane.shape === "density") density(brush, palette, timeline, top);
    else shapes(brush, palette, timeline, lane, index, top);
  });
}

/** The colours of the theme that *root* has. */
function paletteOf(root) {
  const style = getComputedStyle(root);
  return Object.fromEntries(Object.entries(COLOURS).map(([name, key]) => [name, style.getPropertyValue(key).trim() || "gray"]));
}

function axis(brush, palette, timeline) {
  const [from, to] = timeline.view;
  const step = STEPS.find((size) => (size / (to - from)) * timeline.room >= 56) ?? Math.max(7200, ((to - from) * 56) / timeline.room);
  const digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  brush.font = "11px system-ui, sans-serif";
  brush.textBaseline = "middle";
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    const x = timeline.x(time);
    brush.fillStyle = palette.line;
    brush.fillRect(Math.round(x), AXIS - 4, 1, ROW * LANES.length + 4);
    brush.fillStyle = palette.ink2;
    if (x < timeline.width - 24) brush.fillText(time.toFixed(digits), x + 3, AXIS / 2);
  }
}

/** When the text of the chosen message came, or the chosen token. */
function highlight(brush, palette, timeline) {
  const { tokens } = timeline.turn;
  const message = timeline.turn.message(timeline.chosen?.message);
  const raw = message?.story?.raw ?? [];
  const places = raw.length ? [tokens.at(raw[0][0]), tokens.at(raw.at(-1)[1] - 1)] : [timeline.chosen?.token ?? -1];
  const times = places.map((place) => tokens.times[place]);
  if (times.some((time) => time === undefined)) return;
  const [left, right] = [timeline.x(times[0]) - 3, timeline.x(times.at(-1)) + 4];
  brush.globalAlpha = 0.35;
  brush.fillStyle = message ? palette[colourOf(message.number)] : palette.ink2;
  brush.fillRect(left, AXIS + 1, right - left, ROW - 1);
  brush.globalAlpha = 1;
}

/** However many tokens there are, there is one bar for each pixel. */
function density(brush, palette, timeline, top) {
  const { tokens } = timeline.turn;
  const [from, to] = timeline.view;
  const columns = Math.max(1, Math.floor(timeline.room / 2));
  const counts = { text: new Uint32Array(columns), thought: new Uint32Array(columns) };
  const scale = (columns - 1) / (to - from);
  let most = 1;
  for (let index = Math.max(0, firstFrom(LANES[0], tokens.times, timeline.turn, from) - 1); index < tokens.count; index += 1) {
    const column = Math.floor((tokens.times[index] - from) * scale);
    if (column >= columns) break;
    if (column < 0) continue;
    const count = (counts[tokens.thoughts[index] ? "thought" : "text"][column] += 1);
    if (count > most) most = count;
  }
  const left = timeline.x(from);
  const room = ROW - 7;
  for (const sort of ["text", "thought"]) {
    brush.fillStyle = palette[sort];
    counts[sort].forEach((count, column) => {
      if (!count) return;
      const size = Math.max(6, (room * Math.sqrt(count)) / Math.sqrt(most));
      brush.fillRect(left + column * 2, top + ROW - 3 - size, 1.4, size);
    });
  }
}

function shapes(brush, palette, timeline, lane, index, top) {
  const things = timeline.things(index);
  const [from, to] = timeline.view;
  let last = -Infinity;
  for (let place = firstFrom(lane, things, timeline.turn, from); place < things.length; place += 1) {
    const thing = things[place];
    const [begins, ends] = lane.span(timeline.turn, thing, place);
    if (begins > to) break;
    const [left, right] = [timeline.x(begins), timeline.x(ends)];
    const isChosen = thing.id !== undefined && thing.id === timeline.chosen?.message;
    const least = lane.shape === "pill" ? 4 : 0.5; // pixels: what is closer cannot be told from what is there
    if (right < 0 || (right - last < least && !isChosen && !thing.call)) continue;
    last = right;
    const what = { left, right, top, colour: palette[lane.colour(timeline.turn, thing, place)], text: lane.text?.(thing) ?? "", palette };
    SHAPES[thing.call ? "cross" : lane.shape](brush, what, isChosen);
  }
}
