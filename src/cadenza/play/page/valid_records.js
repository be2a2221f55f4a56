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
  "text", "why", "mark", "kind", "rule", "effect", "message", "by", "channel", "persona", "name", "file", "identity",
  "attachment", "reply_to", "route",
];
const NUMBERS = [
  "number", "seconds", "pause", "planned", "since", "heard", "sending", "sent", "from", "to", "at", "retry_after", "status",
];
const CHECKS = new Map([
  ...TEXTS.map((name) => [name, isText]), ...NUMBERS.map((name) => [name, isNumber]),
  ...["error", "settings", "starts", "ends"].map((name) => [name, isObject]),
]);
const LISTS = { posts: numbers, segments: numbers, before: texts, after: texts };

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
  const { raw, holds, waits, rules, times, told, ...rest } = isObject(value) ? value : {};
  return {
    posts: [], ...valid(rest), raw: validRanges(raw), holds: objects(holds).map(valid), waits: objects(waits).map(valid),
    rules: objects(rules).map((rule) => ({ before: [], after: [], ...valid(rule) })),
    times: isObject(times) ? valid(times) : null, told: isObject(told) ? told : {},
  };
}
