/** The simulated Discord as controls: how many messages it takes, how slow it is, and what is to go wrong. */

import { Choices } from "cadenza/api.js";
import { el } from "cadenza/dom.js";
import { numberField, switchInput } from "cadenza/fields.js";
import { onLanguage, t } from "cadenza/words.js";
import { freshId } from "cadenza/wording.js";
import "cadenza/words_lab.js";

/** What can be made to go wrong, as the server calls it. */
export const FAULTS = ["rate_limit", "refused", "lost", "slow", "broken", "disconnect", "webhook_gone"];

/** Discord's default rate limit for messages in a channel. */
export const USUAL_LIMITS = { messages: 5, seconds: 5 };

const SLOW_SECONDS = 3;

/** A number field with a label before it and a unit after it; gives `{node, show(value)}`. */
function namedNumber({ name, unit = "", value, low, high, usual = value, kind = "float", commit }) {
  const id = freshId("number");
  const refusal = el("p", { class: "refusal", role: "alert", hidden: true });
  const refuse = (sentence) => {
    refusal.textContent = sentence;
    refusal.hidden = sentence === "";
  };
  const setting = { kind, value, default: usual, low, high };
  const take = (chosen) => {
    refuse("");
    commit(chosen);
  };
  const field = numberField({ setting, commit: take, refuse, labelledBy: `${id}-name` });
  field.input.id = id;
  const label = el("label", { class: "named-number-name", id: `${id}-name`, htmlFor: id, text: name });
  const row = el("div", { class: "named-number-row" }, label, field.node, el("span", { class: "unit", text: unit }));
  return { node: el("div", { class: "named-number" }, row, refusal), show: field.show };
}

/** The rate limit: off, or so many messages in so many seconds. `onLimits(limits)` hears of every change. */
export class LimitsField {
  #limits;
  #last;
  #switch;
  #numbers;
  #onLimits;

  constructor({ limits, onLimits }) {
    this.#limits = limits;
    this.#last = limits ?? USUAL_LIMITS;
    this.#onLimits = onLimits;
    this.node = this.#made();
    this.show(limits);
  }

  get limits() {
    return this.#limits;
  }

  show(limits) {
    this.#limits = limits;
    this.#last = limits ?? this.#last;
    this.#switch.checked = limits !== null;
    this.#numbers.node.hidden = limits === null;
    this.#numbers.messages.show(this.#last.messages);
    this.#numbers.seconds.show(this.#last.seconds);
  }

  #made() {
    this.#switch = switchInput({ isOn: true, onSwitch: (isOn) => this.#choose(isOn ? this.#last : null) });
    const messages = namedNumber({
      name: t("lab.limit-messages"),
      value: 5,
      low: 1,
      high: 50,
      kind: "int",
      commit: (chosen) => this.#choose({ ...this.#last, messages: chosen }),
    });
    const seconds = namedNumber({
      name: t("lab.limit-seconds"),
      unit: t("lab.seconds"),
      value: 5,
      low: 0.5,
      high: 60,
      commit: (chosen) => this.#choose({ ...this.#last, seconds: chosen }),
    });
    this.#numbers = { node: el("div", { class: "limit-numbers" }, messages.node, seconds.node), messages, seconds };
    const head = el("label", { class: "switch-row" }, el("span", { text: t("lab.rate-limit") }), this.#switch);
    return el("div", { class: "limits-field" }, head, this.#numbers.node);
  }

  #choose(limits) {
    this.show(limits);
    this.#onLimits(limits);
  }
}

/**
 * The simulated Discord. `onChange(change)` hears what is to be asked of it (`{limits}`, `{latency}`, `{fault}`, `{clear}`);
 * a promise that it gives may resolve to `{discord}`, and what it rejects with is shown.
 */
export class DiscordPanel {
  #root;
  #discord;
  #onChange;
  #parts;
  #times = 1;
  #choices = new Choices();

  constructor(root, { discord, onChange = () => undefined }) {
    this.#root = root;
    this.#discord = discord;
    this.#onChange = onChange;
    root.classList.add("discord-panel");
    this.#build();
    onLanguage(() => this.#build());
  }

  /** Show what `load()` says of the simulated Discord, unless the user asks for something else in the meantime. */
  async refresh(load) {
    const discord = await this.#choices.load(load);
    if (discord) this.#show(discord);
  }

  #show(discord) {
    this.#discord = discord;
    this.#parts.limits.show(discord.limits);
    this.#parts.latency.show(discord.latency);
    this.#showPending();
  }

  #build() {
    const limits = new LimitsField({ limits: this.#discord.limits, onLimits: (chosen) => this.#ask({ limits: chosen }) });
    const latency = namedNumber({
      name: t("lab.latency"),
      unit: t("lab.seconds"),
      value: this.#discord.latency,
      low: 0,
      high: 10,
      usual: 0.1,
      commit: (chosen) => this.#ask({ latency: chosen }),
    });
    const pending = el("div", { class: "pending", role: "status" });
    const refusal = el("p", { class: "refusal", role: "alert", hidden: true });
    this.#parts = { limits, latency, pending, refusal };
    const times = namedNumber({
      name: t("lab.how-often"),
      unit: t("lab.times"),
      value: this.#times,
      low: 1,
      high: 20,
      usual: 1,
      kind: "int",
      commit: (chosen) => (this.#times = chosen),
    });
    this.#root.replaceChildren(
      el(
        "section",
        { class: "settings-group" },
        el("h3", { text: t("lab.group-limits") }),
        el("p", { class: "setting-about", text: t("lab.limits-about") }),
        limits.node,
        latency.node,
      ),
      el(
        "section",
        { class: "settings-group" },
        el("h3", { text: t("lab.group-faults") }),
        el("p", { class: "setting-about", text: t("lab.faults-about") }),
        times.node,
        this.#buttons(),
        pending,
        refusal,
      ),
    );
    this.#showPending();
  }

  #buttons() {
    const rows = FAULTS.map((what) => {
      const button = el(
        "button",
        {
          type: "button",
          class: "fault",
          data: { fault: what },
          on: { click: () => this.#ask({ fault: this.#fault(what) }) },
        },
      );
      button.append(el("b", { text: t(`lab.fault-${what}`) }), el("small", { text: t(`lab.fault-about-${what}`) }));
      return el("li", {}, button);
    });
    return el("ul", { class: "faults" }, ...rows);
  }

  #fault(what) {
    return { what, times: this.#times, ...(what === "slow" ? { seconds: SLOW_SECONDS } : {}) };
  }

  #showPending() {
    const faults = this.#discord.faults ?? [];
    if (faults.length === 0) {
      this.#parts.pending.replaceChildren(el("p", { class: "setting-about", text: t("lab.nothing-pending") }));
      return;
    }
    const items = faults.map(
      ({ what, left }) => el(
        "li",
        {},
        el("span", { text: faultName(what) }),
        el("b", { text: left == null ? "∞" : `×${left}` }),
      ),
    );
    const clear = el(
      "button",
      { type: "button", class: "quiet", text: t("lab.clear-faults"), on: { click: () => this.#ask({ clear: true }) } },
    );
    this.#parts.pending.replaceChildren(
      el("h4", { text: t("lab.pending") }),
      el("ul", { class: "pending-faults" }, ...items),
      clear,
    );
  }

  async #ask(change) {
    this.#refuse("");
    try {
      const answer = await this.#choices.choose(() => this.#onChange(change));
      if (answer?.discord) this.#show(answer.discord);
    } catch (error) {
      this.#show(this.#discord);
      this.#refuse(error.message);
    }
  }

  #refuse(sentence) {
    this.#parts.refusal.textContent = sentence;
    this.#parts.refusal.hidden = sentence === "";
  }
}

/** The name of a fault for people; as it is called if it is not known here. */
export function faultName(what) {
  return FAULTS.includes(what) ? t(`lab.fault-${what}`) : what;
}
