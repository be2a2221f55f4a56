/**
 * The controls of settings, one for each kind.
 *
 * A control is `{node, input, show(value)}`: the element on the page, the element that its label belongs to (`null` if it
 * is a group, which is then named by its label), and a way to show another value. It calls `commit(value)` when the user has
 * chosen a value, and `refuse(sentence)` when what was typed cannot be one.
 */

import { el } from "cadenza/dom.js";
import { POSITIONS, Scale } from "cadenza/scale.js";
import { t } from "cadenza/words.js";
import { freshId } from "cadenza/wording.js";
import { optionWord, ruleAbout, ruleTitle } from "cadenza/words_settings.js";

/** The control for *setting*. */
export function fieldFor(setting, { commit, refuse, labelledBy }) {
  const wanted = { setting, commit, refuse, labelledBy };
  if (setting.name === "rules_off" && setting.one_of?.length) return rulesField(wanted);
  switch (setting.kind) {
    case "bool":
      return switchField(wanted);
    case "int":
    case "float":
      return numberField(wanted);
    case "choice":
      return choiceField(wanted, setting.one_of ?? []);
    case "texts":
      return tagsField(wanted);
    default:
      return textField(wanted);
  }
}

/** A switch: a checkbox that says whether something is on. */
export function switchInput({ isOn, onSwitch, label = null }) {
  const props = { type: "checkbox", class: "switch", role: "switch", checked: isOn };
  const input = el("input", { ...props, on: { change: () => onSwitch(input.checked) } });
  if (label !== null) input.setAttribute("aria-label", label);
  return input;
}

function switchField({ setting, commit }) {
  const input = switchInput({ isOn: Boolean(setting.value), onSwitch: commit });
  const show = (value) => {
    input.checked = Boolean(value);
  };
  return { node: input, input, show };
}

function choiceField({ setting, commit, labelledBy }, options) {
  const word = (option) => optionWord(setting.name, option);
  const look = setting.name === "shape" ? "shapes" : "segments"; // what matters most has room for its words
  return radioField({ value: setting.value, options, word, commit, labelledBy, look });
}

/** One of a few, all of them in sight. */
export function radioField({ value, options, word, commit, labelledBy, look }) {
  const name = freshId("choice");
  const inputs = options.map((option) => {
    const on = { change: () => commit(option) };
    return el("input", { type: "radio", name, value: String(option), checked: option === value, on });
  });
  const labels = inputs.map(
    (input, index) => el("label", { class: "choice" }, input, el("span", { text: word(options[index]) })),
  );
  const node = el("div", { class: look, role: "radiogroup", aria: { labelledby: labelledBy } }, ...labels);
  const show = (shown) => inputs.forEach((input, index) => (input.checked = options[index] === shown));
  return { node, input: null, show };
}

function textField({ setting, commit }) {
  const input = el("input", { type: "text", class: "wide", spellcheck: false, autocomplete: "off" });
  const show = (value) => {
    input.value = value ?? "";
  };
  show(setting.value);
  input.addEventListener("change", () => commit(input.value === "" && setting.default === null ? null : input.value));
  return { node: input, input, show };
}

/** A number to be typed, with a slider beside it where both bounds are known. */
export function numberField({ setting, commit, refuse, labelledBy }) {
  const isWhole = setting.kind === "int";
  const input = numberInput(setting, isWhole);
  const hasEnds = setting.low != null && setting.high != null;
  const slider = hasEnds ? sliderFor({ setting, isWhole, input, commit, labelledBy }) : null;
  let shown = setting.value;
  let isEdited = false; // an answer that arrives while the user types does not replace what is typed
  const show = (value) => {
    shown = value;
    if (!isEdited && (input !== document.activeElement || Number(input.value) !== value)) input.value = value ?? "";
    slider?.show(value);
  };
  show(setting.value);
  input.addEventListener("input", () => (isEdited = true));
  input.addEventListener("blur", () => {
    if (!isEdited) return;
    isEdited = false; // the old value was typed again, so there was no change
    show(shown);
  });
  input.addEventListener("change", () => {
    isEdited = false;
    const { value, complaint } = numberIn(input, setting, isWhole);
    if (complaint) refuse(complaint);
    else {
      slider?.show(value);
      commit(value);
    }
  });
  return { node: el("div", { class: "number-row" }, ...(slider ? [slider.node] : []), input), input, show };
}

function numberInput(setting, isWhole) {
  const input = el("input", { type: "number", class: "number", step: isWhole ? "1" : "any", autocomplete: "off" });
  input.inputMode = isWhole ? "numeric" : "decimal";
  if (setting.low != null) input.min = setting.low;
  if (setting.high != null) input.max = setting.high;
  if (setting.default === null) input.placeholder = t("lab.not-set");
  return input;
}

function sliderFor({ setting, isWhole, input, commit, labelledBy }) {
  const scale = new Scale({ low: setting.low, high: setting.high, usual: setting.default ?? setting.low, isWhole });
  const node = el("input", { type: "range", min: 0, max: POSITIONS, step: 1, aria: { labelledby: labelledBy } });
  const speak = (value) => node.setAttribute("aria-valuetext", value === null ? t("lab.not-set") : String(value));
  node.addEventListener("input", () => {
    input.value = scale.valueAt(node.valueAsNumber);
    speak(input.value);
  });
  node.addEventListener("change", () => commit(scale.valueAt(node.valueAsNumber)));
  const show = (value) => {
    node.value = scale.positionOf(value ?? setting.low);
    speak(value);
  };
  return { node, show };
}

function numberIn(input, setting, isWhole) {
  if (input.value.trim() === "" && !input.validity.badInput && setting.default === null) return { value: null };
  const value = input.valueAsNumber;
  if (!Number.isFinite(value)) return { complaint: t("lab.need-number") };
  if (isWhole && !Number.isInteger(value)) return { complaint: t("lab.need-whole") };
  const isIn = (setting.low == null || value >= setting.low) && (setting.high == null || value <= setting.high);
  return isIn ? { value } : { complaint: boundsSentence(setting) };
}

function boundsSentence({ low, high }) {
  if (low == null) return t("lab.at-most", { high });
  return high == null ? t("lab.at-least", { low }) : t("lab.between", { low, high });
}

function tagsField({ setting, commit, labelledBy }) {
  let texts = [...(setting.value ?? [])];
  const list = el("ul", { class: "text-tags" });
  const input = el(
    "input",
    { type: "text", class: "tag-input", placeholder: t("lab.add-text"), autocomplete: "off", spellcheck: false },
  );
  const change = (changed) => {
    show(changed);
    commit([...changed]);
  };
  const take = () => {
    const word = input.value.trim();
    input.value = "";
    if (word && !texts.includes(word)) change([...texts, word]);
  };
  const show = (value) => {
    texts = [...(value ?? [])];
    list.replaceChildren(...texts.map((text) => tag(text, () => change(texts.filter((other) => other !== text)))));
    list.hidden = texts.length === 0;
  };
  input.addEventListener("change", take);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return; // Safari says of the Enter that ends a word that nothing is composed
    if (event.key === "Enter") {
      event.preventDefault();
      take();
    } else if (event.key === "Backspace" && input.value === "" && texts.length) change(texts.slice(0, -1));
  });
  show(texts);
  return { node: el("div", { class: "tags-field", role: "group", aria: { labelledby: labelledBy } }, list, input), input, show };
}

function tag(text, remove) {
  const button = el("button", { type: "button", class: "tag-remove", text: "×", on: { click: remove } });
  button.setAttribute("aria-label", t("lab.remove", { what: text }));
  return el("li", { class: "text-tag" }, el("span", { text }), button);
}

/** The rules that are left out, shown as all rules with a switch each: on is at work. */
function rulesField({ setting, commit, labelledBy }) {
  let off = new Set(setting.value ?? []);
  const summary = el("summary");
  const rows = setting.one_of.map((rule) => {
    const input = switchInput({
      isOn: true,
      onSwitch: (isOn) => {
        const changed = new Set(off);
        if (isOn) changed.delete(rule);
        else changed.add(rule);
        show([...changed]);
        commit(setting.one_of.filter((name) => changed.has(name)));
      },
    });
    const words = el("span", { class: "rule-words" }, el("b", { text: ruleTitle(rule) }), el("small", { text: ruleAbout(rule) }));
    return { rule, input, node: el("li", {}, el("label", { class: "rule" }, words, input)) };
  });
  const show = (value) => {
    off = new Set(value ?? []);
    rows.forEach(({ rule, input }) => (input.checked = !off.has(rule)));
    summary.textContent = t("lab.rules-at-work", { some: rows.filter(({ rule }) => !off.has(rule)).length, all: rows.length });
  };
  show(setting.value);
  const list = el("ul", { class: "rule-list" }, ...rows.map(({ node }) => node));
  return { node: el("details", { class: "rules-field", aria: { labelledby: labelledBy } }, summary, list), input: null, show };
}
