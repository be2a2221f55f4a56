/**
 * Removes invalid values from records: a film may come from another version or from an editor, and
 * views need not check again.
 */

const isText = (value) => typeof value === "string";
const isNumber = (value) => Number.isFinite(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @returns {number[]} */
const numbers = (value) => (Array.isArray(value) ? value.filter(isNumber) : []);
const texts = (value) => (Array.isArray(value) ? value.filter(isText) : []);
const objects = (value) => (Array.isArray(value) ? value.filter(isObject) : []);

const TEXTS = [
  "text", "why", "mark", "boundary", "kind", "rule", "effect", "message", "reason", "by", "channel", "persona", "model", "key",
  "name", "file", "title", "keep", "identity", "attachment", "reply_to", "starts", "ends", "route", "call", "urgency", "rung",
];
const NUMBERS = [
  "number", "size", "seconds", "pause", "typing", "breath", "thinking", "cut", "turns", "tools", "bytes", "planned", "heard",
  "sending", "sent", "from", "to", "at", "count", "since", "retry_after", "status",
];
const CHECKS = new Map([
  ...TEXTS.map((name) => [name, isText]), ...NUMBERS.map((name) => [name, isNumber]),
  ...["outcome", "error", "detail", "settings"].map((name) => [name, isObject]),
]);
const LISTS = { posts: numbers, segments: numbers, dropped: numbers, before: texts, after: texts, messages: texts };

/**
 * *about* without invalid values; known lists hold only valid items.
 * @param {unknown} about
 */
export function valid(about) {
  if (!isObject(about)) return {};
  const kept = Object.entries(about).filter(([name, value]) => CHECKS.get(name)?.(value) ?? true);
  const found = Object.fromEntries(kept);
  for (const [name, clean] of Object.entries(LISTS)) if (name in found) found[name] = clean(found[name]);
  return found;
}

/** Ranges of text: `[start, end]` each. */
export function validRanges(value) {
  const ranges = Array.isArray(value) && isNumber(value[0]) ? [value] : value;
  return Array.isArray(ranges) ? ranges.filter((range) => numbers(range).length === 2 && range[0] < range[1]) : [];
}

/** A story, see docs/films.md. */
export function validStory(value) {
  const { pause, raw, holds, waits, rules, times, merged, ...rest } = isObject(value) ? value : {};
  const spans = (all) => objects(all).map(valid).filter((span) => isNumber(span.from));
  return {
    posts: [], segments: [], ...valid(rest),
    raw: validRanges(raw), holds: spans(holds), waits: spans(waits), rules: objects(rules).map((rule) => ({ before: [], after: [], ...valid(rule) })),
    pause: isObject(pause) ? valid(pause) : null, times: isObject(times) ? valid(times) : null, merged: isObject(merged) ? valid(merged) : null,
  };
}
