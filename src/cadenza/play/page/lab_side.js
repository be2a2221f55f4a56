/** One side of the lab: the bot, its settings, and the faults of Discord. */

import { asToml, SettingsPanel } from "cadenza/controls.js";
import { FAULTS, faultName, LimitsField, USUAL_LIMITS } from "cadenza/discord_panel.js";
import { el } from "cadenza/dom.js";
import { fieldFor, radioField } from "cadenza/fields.js";
import { onLanguage, t } from "cadenza/words.js";
import { freshId } from "cadenza/wording.js";
import { optionWord, settingTitle } from "cadenza/words_settings.js";

/** A rehearsal has no gateway that could be cut. */
const STRIKING = FAULTS.filter((what) => what !== "disconnect");
const NAMED_SETTINGS = 2;

/** A side; `isUsual` is whether it starts as the usual bot. */
export class Side {
  #name;
  #isUsual;
  #panel;
  #limits = USUAL_LIMITS;
  #faults = [];
  #stopAt = null;
  #isDiscordOpen = false;
  #settingsRoot = el("div");
  #onCopy;

  constructor({ name, settings, isUsual, onCopy }) {
    this.#name = name;
    this.#isUsual = isUsual;
    this.#onCopy = onCopy;
    this.node = el("section", { class: "lab-side" });
    this.#panel = new SettingsPanel(this.#settingsRoot, { settings: asDefault(settings), compact: true });
    this.#build();
    onLanguage(() => this.#build());
  }

  /** What the server is asked for. */
  get wanted() {
    const side = { label: this.label, limits: this.#limits, is_usual: this.#isUsual };
    return {
      ...side,
      settings: this.#isUsual ? {} : this.#panel.values,
      ...(this.#faults.length ? { faults: this.#faults } : {}),
      ...(this.#stopAt === null ? {} : { stop_at: this.#stopAt }),
    };
  }

  /** Its label: the bot, and what is special about it. */
  get label() {
    if (this.#isUsual) return t("lab.usual-bot");
    const special = Object.entries(this.#panel.values).map(
      ([name, value]) => `${settingTitle({ name })}: ${Array.isArray(value) ? value.length : optionWord(name, value)}`,
    );
    const some = special.slice(0, NAMED_SETTINGS).join(", ") + (special.length > NAMED_SETTINGS ? ", …" : "");
    return some ? `${this.#name} · ${some}` : `${this.#name} · Cadenza`;
  }

  /** Say at its control why a setting was refused; whether there is such a control here. */
  refuse(name, sentence) {
    return !this.#isUsual && Object.hasOwn(this.#panel.values, name) && this.#panel.refuse(name, sentence);
  }

  #build() {
    const title = freshId("side");
    const who = radioField({
      value: this.#isUsual,
      options: [false, true],
      word: (isUsual) => t(isUsual ? "lab.usual-bot" : "lab.cadenza"),
      commit: (isUsual) => this.#become(isUsual),
      labelledBy: title,
      look: "segments",
    });
    const head = el(
      "div",
      { class: "lab-side-head" },
      el("h3", { id: title, text: t("lab.side", { name: this.#name }) }),
      who.node,
    );
    const usual = el("p", { class: "setting-about usual-about", text: t("lab.usual-about"), hidden: !this.#isUsual });
    this.#settingsRoot.hidden = this.#isUsual;
    this.node.setAttribute("aria-labelledby", title);
    this.node.replaceChildren(head, usual, this.#settingsRoot, this.#discord(), this.#foot());
  }

  #become(isUsual) {
    this.#isUsual = isUsual;
    this.#settingsRoot.hidden = isUsual;
    this.node.querySelector(".usual-about").hidden = !isUsual;
    this.node.querySelector(".lab-side-foot").hidden = isUsual;
  }

  #foot() {
    const copy = el(
      "button",
      {
        type: "button",
        class: "quiet copy-toml",
        text: t("lab.copy-toml"),
        on: { click: () => this.#onCopy(asToml(this.#panel.settings)) },
      },
    );
    return el("div", { class: "lab-side-foot", hidden: this.#isUsual }, copy);
  }

  #discord() {
    const limits = new LimitsField({ limits: this.#limits, onLimits: (chosen) => (this.#limits = chosen) });
    const details = el(
      "details",
      { class: "settings-group lab-side-discord" },
      el("summary", { text: t("lab.side-discord") }),
      limits.node,
      this.#stopField(),
      this.#faultsField(),
    );
    details.open = this.#isDiscordOpen;
    details.addEventListener("toggle", () => (this.#isDiscordOpen = details.open));
    return details;
  }

  #stopField() {
    const id = freshId("stop");
    const refusal = el("p", { class: "refusal", role: "alert", hidden: true });
    const refuse = (sentence) => {
      refusal.textContent = sentence;
      refusal.hidden = sentence === "";
    };
    const take = (seconds) => {
      refuse("");
      this.#stopAt = seconds;
    };
    const setting = { name: "stop_at", kind: "float", value: this.#stopAt, default: null, low: 0 };
    const field = fieldFor(setting, { commit: take, refuse, labelledBy: `${id}-name` });
    field.input.id = id;
    const label = el("label", { id: `${id}-name`, htmlFor: id, text: t("lab.stop-at") });
    return el(
      "div",
      { class: "named-number" },
      el(
        "div",
        { class: "named-number-row" },
        label,
        field.node,
        el("span", { class: "unit", text: t("lab.seconds") }),
      ),
      refusal,
    );
  }

  #faultsField() {
    const list = el("ul", { class: "pending-faults" });
    const what = el(
      "select",
      { aria: { label: t("lab.fault") } },
      ...STRIKING.map((name) => el("option", { value: name, text: faultName(name) })),
    );
    const at = smallNumber(t("lab.at-message"), 1);
    const times = smallNumber(t("lab.how-many-times"), 1);
    const add = el("button", { type: "button", text: t("lab.add-fault") });
    const show = () => list.replaceChildren(...this.#faults.map((fault) => faultItem(fault, () => drop(fault))));
    const drop = (gone) => {
      this.#faults = this.#faults.filter((fault) => fault !== gone);
      show();
    };
    add.addEventListener("click", () => {
      this.#faults = [...this.#faults, { what: what.value, times: wholeIn(times.input), at_message: wholeIn(at.input) }];
      show();
    });
    show();
    return el(
      "div",
      { class: "lab-side-faults" },
      el("h4", { text: t("lab.goes-wrong") }),
      list,
      el("div", { class: "fault-row" }, what, at.node, times.node, add),
    );
  }
}

/** Settings as they come, whatever is set now. */
function asDefault(settings) {
  return settings.map((setting) => ({ ...setting, value: setting.default }));
}

function smallNumber(name, value) {
  const input = el("input", { type: "number", class: "number is-small", min: 1, max: 100, step: 1, value });
  return { input, node: el("label", { class: "small-number" }, el("span", { text: name }), input) };
}

function wholeIn(input) {
  return Math.min(Math.max(Math.round(input.valueAsNumber) || 1, 1), 100);
}

function faultItem(fault, drop) {
  const words = t("lab.fault-at", { what: faultName(fault.what), message: fault.at_message, times: fault.times });
  const button = el("button", { type: "button", class: "tag-remove", text: "×", on: { click: drop } });
  button.setAttribute("aria-label", t("lab.remove", { what: words }));
  return el("li", {}, el("span", { text: words }), button);
}
