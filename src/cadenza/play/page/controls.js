/** All settings as controls: the main ones in groups, then the rest; changed ones are marked. */

import { Choices } from "cadenza/api.js";
import { el } from "cadenza/dom.js";
import { fieldFor } from "cadenza/fields.js";
import { onLanguage, t } from "cadenza/words.js";
import { freshId } from "cadenza/wording.js";
import { settingAbout, settingTitle } from "cadenza/words_settings.js";
import "cadenza/words_lab.js";

/** Which main settings stand together, and in what order. */
const GROUPS = {
  messages: ["shape", "casual", "gather", "limit", "message_limit", "when_full", "code_file", "overflow", "hold"],
  typing: ["typing", "typing_speed", "typing_least", "typing_most", "typing_budget", "typing_tail", "thinking_chance"],
  guards: ["label_guard", "speaker_guard", "rules_off"],
  emoji: ["use_emoji", "unknown_emoji", "emoji_lookback"],
  mentions: ["mention_people", "mention_roles"],
  tables: ["tables", "math"],
  stopping: ["on_stop", "stop_phrases", "debounce", "interrupts"],
};

const FIRST = "shape";

/** Whether two values of a setting are the same. */
function isSame(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** The settings that differ from their defaults, as they would stand in a file of settings. */
export function asToml(settings) {
  const sections = new Map();
  for (const setting of settings) {
    if (isSame(setting.value, setting.default) || setting.value === null) continue;
    const lines = sections.get(setting.section) ?? [];
    sections.set(setting.section, [...lines, `${setting.name} = ${tomlValue(setting)}`]);
  }
  return [...sections].map(([section, lines]) => `[${section}]\n${lines.join("\n")}\n`).join("\n");
}

function tomlValue({ value, kind }) {
  if (Array.isArray(value)) return `[${value.map((text) => tomlText(text)).join(", ")}]`;
  if (typeof value === "string") return tomlText(value);
  return kind === "float" && Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function tomlText(text) {
  // JSON writes all that TOML wants escaped, but for the delete character.
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** One setting on the page: its name, its control, what it is for, and whether it was changed. */
class Row {
  #setting;
  #field;
  #refusal;
  #reset;

  constructor(setting, { onValue }) {
    this.#setting = setting;
    const id = freshId("setting");
    this.#refusal = el("p", { class: "refusal", id: `${id}-refusal`, role: "alert", hidden: true });
    const commit = (value) => onValue(value);
    this.#field = fieldFor(setting, { commit, refuse: (sentence) => this.refuse(sentence), labelledBy: `${id}-name` });
    this.#reset = el("button", { type: "button", class: "reset", text: "↺", on: { click: () => onValue(setting.default) } });
    this.#reset.title = t("lab.reset-one", { value: shownDefault(setting) });
    this.#reset.setAttribute("aria-label", t("lab.reset-named", { name: settingTitle(setting), value: shownDefault(setting) }));
    this.node = this.#made(id);
    this.#mark();
  }

  #made(id) {
    const setting = this.#setting;
    const name = el(
      this.#field.input ? "label" : "span",
      { class: "setting-name", id: `${id}-name`, text: settingTitle(setting) },
    );
    const about = el("p", { class: "setting-about", id: `${id}-about`, text: settingAbout(setting) });
    const described = this.#field.input ?? this.#field.node;
    if (this.#field.input) {
      this.#field.input.id = `${id}-input`;
      name.htmlFor = `${id}-input`;
    }
    described.setAttribute("aria-describedby", `${id}-about ${id}-refusal`);
    const head = el(
      "div",
      { class: "setting-head" },
      name,
      el("code", { class: "setting-key", text: setting.name }),
      this.#reset,
    );
    const look = setting.kind === "bool" ? "setting is-switch" : "setting";
    return el("div", { class: look, data: { name: setting.name } }, head, this.#field.node, about, this.#refusal);
  }

  /** Show another value. */
  show(setting) {
    this.#setting = setting;
    this.#field.show(setting.value);
    this.refuse("");
    this.#mark();
  }

  /** Say why a value was not taken; an empty sentence takes that back. */
  refuse(sentence) {
    this.#refusal.textContent = sentence && sentence[0].toUpperCase() + sentence.slice(1);
    this.#refusal.hidden = sentence === "";
    this.node?.classList.toggle("is-refused", sentence !== "");
  }

  /** Whether a word is in its name or in what it is for. */
  isAbout(word) {
    const { name, section } = this.#setting;
    return [name, section, settingTitle(this.#setting), settingAbout(this.#setting)].some(
      (text) => text.toLowerCase().includes(word),
    );
  }

  #mark() {
    const isChanged = !isSame(this.#setting.value, this.#setting.default);
    this.node.classList.toggle("is-changed", isChanged);
    this.#reset.hidden = !isChanged;
  }
}

function shownDefault({ default: value }) {
  if (value === null || value === undefined) return t("lab.not-set");
  if (typeof value === "boolean") return t(value ? "lab.on" : "lab.off");
  return Array.isArray(value) ? value.join(", ") || t("lab.none") : String(value);
}

/**
 * All settings. `onChange(values)` gets the user's choices; if it returns a promise, its rejection is shown at the
 * control, and what it resolves to, a list of settings or `{settings}`, is shown from then on.
 */
export class SettingsPanel {
  #root;
  #settings;
  #onChange;
  #isCompact;
  #rows = new Map();
  #choices = new Choices();
  #changed;
  #filter;
  #rest;

  constructor(root, { settings, onChange = () => undefined, compact = false }) {
    this.#root = root;
    this.#settings = settings;
    this.#onChange = onChange;
    this.#isCompact = compact;
    root.classList.add("settings-panel");
    root.classList.toggle("is-compact", compact);
    this.#build();
    onLanguage(() => this.#build());
  }

  /** All settings with their values now. */
  get settings() {
    return this.#settings;
  }

  /** The values that differ from their defaults, by name. */
  get values() {
    const changed = this.#settings.filter((setting) => !isSame(setting.value, setting.default));
    return Object.fromEntries(changed.map(({ name, value }) => [name, value]));
  }

  /** Show other settings, as the server has them. */
  update(settings) {
    const isKnown = settings.length === this.#settings.length && settings.every(({ name }) => this.#rows.has(name));
    const before = new Map(this.#settings.map((setting) => [setting.name, setting]));
    this.#settings = settings;
    if (!isKnown) {
      this.#build();
      return;
    }
    for (const setting of settings) {
      // Unchanged controls are left alone: the user may be typing there.
      if (!isSame(before.get(setting.name).value, setting.value)) this.#rows.get(setting.name).show(setting);
    }
    this.#count();
  }

  /** Show the settings that `load()` gives, unless the user chooses something in the meantime. */
  async refresh(load) {
    const settings = await this.#choices.load(load);
    if (settings) this.update(settings);
  }

  /** Show a sentence about a value that was not taken at its control; whether there is such a control. */
  refuse(name, sentence) {
    const row = this.#rows.get(name);
    row?.refuse(sentence);
    row?.node.closest("details")?.setAttribute("open", "");
    return row !== undefined;
  }

  #build() {
    const word = this.#filter?.value ?? "";
    const isOpen = this.#rest?.open ?? false;
    this.#rows = new Map(this.#settings.map((setting) => [setting.name, this.#rowFor(setting)]));
    const main = this.#settings.filter((setting) => setting.is_main);
    const others = this.#settings.filter((setting) => !setting.is_main);
    this.#rest = el(
      "details",
      { class: "all-settings", hidden: others.length === 0 },
      el("summary", { text: t("lab.all-settings", { count: others.length }) }),
      ...this.#sections(others),
    );
    this.#rest.open = isOpen;
    this.#root.replaceChildren(this.#top(word), ...this.#groups(main), this.#rest);
    // Where the groups are folded, what matters most is in sight all the same.
    if (this.#isCompact && this.#rows.has(FIRST)) this.#root.firstChild.after(this.#rows.get(FIRST).node);
    this.#sift();
    this.#count();
  }

  #rowFor(setting) {
    return new Row(setting, { onValue: (value) => this.#choose({ [setting.name]: value }) });
  }

  #top(word) {
    this.#filter = el(
      "input",
      {
        type: "search",
        class: "settings-filter",
        placeholder: t("lab.find-setting"),
        on: { input: () => this.#sift() },
      },
    );
    this.#filter.setAttribute("aria-label", t("lab.find-setting"));
    this.#filter.value = word;
    const reset = el(
      "button",
      { type: "button", class: "quiet", text: t("lab.reset-all"), on: { click: () => this.#resetAll() } },
    );
    this.#changed = el("div", { class: "settings-changed", role: "status" }, el("span"), reset);
    return el("div", { class: "settings-top" }, this.#filter, this.#changed);
  }

  #groups(main) {
    const grouped = new Set(Object.values(GROUPS).flat());
    const named = Object.entries(GROUPS).map(
      ([group, names]) => [`lab.group-${group}`, names.filter((name) => main.some((setting) => setting.name === name))],
    );
    const more = main.map(({ name }) => name).filter((name) => !grouped.has(name));
    const filled = [...named, ["lab.group-more", more]].filter(([, names]) => names.length > 0);
    return filled.map(([key, names]) => this.#group(t(key), names));
  }

  #sections(others) {
    const sections = [...new Set(others.map(({ section }) => section))];
    return sections.map((section) => {
      const names = others.filter((setting) => setting.section === section).map(({ name }) => name);
      return this.#group(section, names, "section");
    });
  }

  #group(title, names, look = "") {
    const rows = names.map((name) => this.#rows.get(name).node);
    if (look || !this.#isCompact) return el("section", { class: `settings-group ${look}` }, el("h3", { text: title }), ...rows);
    // Two panels side by side would be endless: here the groups fold.
    return el("details", { class: "settings-group" }, el("summary", { text: title }), ...rows);
  }

  async #choose(values) {
    const before = new Map(this.#settings.map((setting) => [setting.name, setting]));
    this.update(
      this.#settings.map(
        (setting) => (Object.hasOwn(values, setting.name) ? { ...setting, value: values[setting.name] } : setting),
      ),
    );
    Object.keys(values).forEach((name) => this.#rows.get(name).refuse(""));
    try {
      const answer = await this.#choices.choose(() => this.#onChange(values));
      const settings = Array.isArray(answer) ? answer : answer?.settings;
      if (settings) this.update(settings);
    } catch (error) {
      this.#takeBack(values, before, error);
    }
  }

  #takeBack(values, before, error) {
    this.#settings = this.#settings.map((setting) => (Object.hasOwn(values, setting.name) ? before.get(setting.name) : setting));
    for (const name of Object.keys(values)) {
      this.#rows.get(name).show(before.get(name));
      this.refuse(name, error.message);
    }
    this.#count();
  }

  #resetAll() {
    const changed = this.#settings.filter((setting) => !isSame(setting.value, setting.default));
    this.#choose(Object.fromEntries(changed.map((setting) => [setting.name, setting.default])));
  }

  #count() {
    const count = Object.keys(this.values).length;
    this.#changed.hidden = count === 0;
    this.#changed.firstChild.textContent = t("lab.some-changed", { count });
  }

  /** Show only what the filter asks for. */
  #sift() {
    const word = this.#filter.value.trim().toLowerCase();
    for (const row of this.#rows.values()) row.node.hidden = word !== "" && !row.isAbout(word);
    for (const group of this.#root.querySelectorAll(".settings-group")) {
      group.hidden = ![...group.querySelectorAll(".setting")].some((row) => !row.hidden);
      if (word && group.tagName === "DETAILS") group.open = true;
    }
    if (word) this.#rest.open = true;
  }
}
