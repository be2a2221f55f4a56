// Slash commands as they are typed: what a line means so far, and what could come next. Nothing is drawn here.
//
// A line is read as the server reads it: a name of up to three words, then options as name:value, where a value goes
// on until the next name that is known.

/**
 * @typedef {object} Line what a line means so far
 * @property {object|null} command the command that is named in full, or null
 * @property {string} name what is typed of a name, while it may still become another
 * @property {{option: object, value: string, at: number}[]} given options with their values, in order
 * @property {string} loose the text before the first option
 * @property {object[]} missing options that are required and not given
 */

/**
 * Read *text*; null if it is not a command.
 * @param {string} text
 * @param {object[]} commands
 * @returns {Line|null}
 */
export function readLine(text, commands) {
  if (!text.startsWith("/") || text.startsWith("//")) return null;
  const body = text.slice(1);
  const command = named(body, commands);
  const name = body.trimStart().toLowerCase();
  if (!command) return { command: null, name, given: [], loose: "", missing: [] };
  const start = 1 + command.name.length;
  const given = optionsOf(text, start, command.options);
  const loose = text.slice(start, given[0]?.from ?? text.length).trim();
  return { command, name, given, loose, missing: missingOf(command, given, loose) };
}

function named(body, commands) {
  const fits = commands.filter(({ name }) => body === name || (body.startsWith(name) && /\s/.test(body[name.length])));
  return fits.sort((one, other) => other.name.length - one.name.length)[0] ?? null;
}

function optionsOf(text, start, options) {
  const found = [];
  for (const match of text.slice(start).matchAll(/(?<=\s)([^\s:]+):/gu)) {
    const option = options.find(({ name }) => name.toLowerCase() === match[1].toLowerCase());
    if (!option || found.some((one) => one.option === option)) continue;
    const from = start + match.index;
    found.push({ option, from, at: from + match[0].length });
  }
  return found.map((one, index) => ({ ...one, value: text.slice(one.at, found[index + 1]?.from ?? text.length) }));
}

function missingOf(command, given, loose) {
  const required = command.options.filter(({ is_required: isRequired }) => isRequired);
  // A text without a name goes to the one option that can be meant.
  if (!given.length && loose && (required.length === 1 || command.options.length === 1)) return [];
  return required.filter((option) => !given.some((one) => one.option === option && one.value.trim()));
}

/**
 * @typedef {object} Offer something that may come next
 * @property {string} label
 * @property {string} about
 * @property {string} text the whole line, once it is chosen
 * @property {boolean} [isRequired]
 */

/**
 * What may come next, and where: "name", "option" or "value". With stage "value" *offers* may be null: the bot is to
 * be asked for them, and `offersOf` makes them of its answer.
 * @param {Line} line
 * @param {string} text
 * @param {object[]} commands
 * @param {{people: object[], channels: object[], yes: string, no: string}} known
 * @returns {{stage: string, option: object|null, typed: string, offers: Offer[]|null}}
 */
export function nextOf(line, text, commands, known) {
  const isNamed = line.command && text.length > line.command.name.length + 1;
  if (!isNamed) return { stage: "name", option: null, typed: line.name, offers: namesLike(line.name, commands) };
  const last = line.given.at(-1);
  if (!last) return { stage: "option", option: null, typed: line.loose, offers: optionsLike(line, text, line.loose) };
  const { option, value } = last;
  const isOver = /\S\s+$/.test(value);
  if (isOver) return { stage: "option", option, typed: "", offers: optionsLike(line, text, "") };
  const typed = value.trim();
  if (option.is_suggested) return { stage: "value", option, typed, offers: null };
  return { stage: "value", option, typed, offers: offersOf(line, text, valuesOf(option, known), typed) };
}

function namesLike(typed, commands) {
  const words = typed.split(/\s+/).filter(Boolean);
  const fits = commands.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const rank = ({ name }) => (name.toLowerCase().startsWith(typed) ? 0 : 1);
  return fits
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
    .map((command) => ({ label: `/${command.name}`, about: command.about, text: begun(command) }));
}

function begun(command) {
  const first = command.options.find(({ is_required: isRequired }) => isRequired);
  return `/${command.name}${command.options.length ? " " : ""}${first ? `${first.name}:` : ""}`;
}

function optionsLike(line, text, typed) {
  const before = typed ? text.slice(0, text.lastIndexOf(typed)) : text;
  // Free text that is no beginning of a name is the value of the one option that can be meant: nothing to offer.
  return line.command.options
    .filter((option) => !line.given.some((one) => one.option === option))
    .filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
    .sort((one, other) => Number(other.is_required) - Number(one.is_required))
    .map((option) => ({
      label: `${option.name}:`,
      about: option.about,
      text: `${before.trimEnd()} ${option.name}:`,
      isRequired: option.is_required,
    }));
}

function valuesOf(option, { people, channels, yes, no }) {
  if (option.choices?.length) return option.choices.map(({ name }) => ({ name, value: name }));
  if (option.kind === "flag") return [{ name: yes, value: "yes" }, { name: no, value: "no" }];
  if (option.kind === "user") return people.map(({ name }) => ({ name: `@${name}`, value: `@${name}` }));
  if (option.kind === "channel") return channels.map(({ name }) => ({ name: `#${name}`, value: `#${name}` }));
  return [];
}

/**
 * Offers for the value of the last option of *line*.
 * @param {Line} line
 * @param {string} text
 * @param {{name: string, value: string|number}[]} values
 * @param {string} typed keeps only what has it in it; empty keeps all
 * @returns {Offer[]}
 */
export function offersOf(line, text, values, typed = "") {
  const last = line.given.at(-1);
  const next = line.missing.find((option) => option !== last.option);
  const small = typed.toLowerCase();
  return values
    .filter(({ name, value }) => name.toLowerCase().includes(small) || String(value).toLowerCase().includes(small))
    .map(({ name, value }) => ({
      label: name,
      about: String(value) === name ? "" : String(value),
      text: `${text.slice(0, last.at)}${value} ${next ? `${next.name}:` : ""}`,
    }));
}

/** What is given besides the last option, by name: the bot may need it for its suggestions. @param {Line} line */
export function othersOf(line) {
  return Object.fromEntries(line.given.slice(0, -1).map(({ option, value }) => [option.name, value.trim()]));
}
