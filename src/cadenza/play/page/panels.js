// The parts that are made when they are first opened, and kept from then on: settings, Discord, the tour and the lab.

import { ApiError } from "cadenza/api.js";
import { clear, el } from "cadenza/dom.js";
import { confirmed } from "cadenza/dialogs.js";
import { label } from "cadenza/labels.js";
import { onLanguage, t } from "cadenza/words.js";

const SOON = 500; // ms
const MODELS = ["guide", "here"];

/** Makes each part once, in its place. */
export class Panels {
  #parts;
  #asked;
  #made = new Map();
  #soon = new Map();
  #makers = {
    settings: (root) => this.#settings(root),
    discord: (root) => this.#discord(root),
    tour: (root) => this.#tour(root),
    lab: (root) => this.#lab(root),
  };

  /**
   * @param {object} parts the elements of the shell
   * @param {object} asked
   * @param {import("cadenza/api.js").Api} asked.api
   * @param {object} asked.state what the server said first
   * @param {(story: object) => void} asked.onTry
   * @param {(error: Error) => void} asked.onError
   */
  constructor(parts, asked) {
    this.#parts = parts;
    this.#asked = asked;
  }

  /** Show what is called *name*; whatever is not made here is passed over. @param {string} name */
  async open(name) {
    if (!Object.hasOwn(this.#makers, name)) return;
    const known = this.#made.get(name);
    if (known) {
      known.then((part) => part?.refresh?.()).catch(this.#asked.onError);
      return;
    }
    const made = this.#makers[name](this.#parts[name]);
    this.#made.set(name, made);
    try {
      await made;
    } catch (error) {
      // It may be there the next time.
      this.#made.delete(name);
      clear(this.#parts[name]);
      this.#asked.onError(error);
    }
  }

  /** Show *name* as it is now, a moment later, however often that is asked for. @param {string} name */
  refreshSoon(name) {
    if (this.#soon.has(name)) return;
    this.#soon.set(name, setTimeout(() => {
      this.#soon.delete(name);
      this.open(name);
    }, SOON));
  }

  async #settings(root) {
    const { SettingsPanel } = await brought(() => import("cadenza/controls.js"));
    const { api, state } = this.#asked;
    const place = el("div", { class: "settings-place" });
    const model = new ModelChoice(state.models, this.#asked);
    clear(root).append(model.node, place, this.#startOver());
    const panel = new SettingsPanel(place, {
      settings: state.settings,
      compact: false,
      onChange: async (values) => (await api.post("/api/settings", { values })).settings,
    });
    return {
      refresh: async () => {
        const state = api.state();
        await panel.refresh(async () => (await state).settings);
        model.update((await state).models);
      },
    };
  }

  #startOver() {
    const again = label(el("button", { type: "button" }), "live.reset");
    again.addEventListener("click", () => {
      const reset = () => this.#asked.api.post("/api/reset", {}).catch(this.#asked.onError);
      confirmed(t("live.reset.about"), t("live.reset"), reset);
    });
    return el("div", { class: "settings-foot" }, again);
  }

  async #discord(root) {
    const { DiscordPanel } = await brought(() => import("cadenza/discord_panel.js"));
    const { api, state } = this.#asked;
    const place = el("div", {});
    clear(root).append(place);
    const panel = new DiscordPanel(place, {
      discord: state.discord,
      onChange: (change) => api.post("/api/discord", change),
    });
    return { refresh: () => panel.refresh(async () => (await api.state()).discord) };
  }

  async #tour(root) {
    const { Tour } = await brought(() => import("cadenza/tour.js"));
    const { api, state, onTry } = this.#asked;
    const place = el("div", {});
    clear(root).append(place);
    return { part: new Tour(place, { api, stories: state.stories, onTry }) };
  }

  async #lab(root) {
    const { Lab } = await brought(() => import("cadenza/lab.js"));
    const { api, state } = this.#asked;
    const place = el("div", {});
    clear(root).append(place);
    return { part: new Lab(place, { api, settings: state.settings }) };
  }
}

/** A module that is fetched now; the browser's own words for a failure are not for people. */
async function brought(fetched) {
  try {
    return await fetched();
  } catch {
    throw new ApiError(t("live.error.away"));
  }
}

/** Which model answers. */
class ModelChoice {
  #select;
  #about;
  #models;

  constructor(models, { api, onError }) {
    this.#select = el("select", { id: "model" });
    this.#about = el("p", { class: "dim" });
    const words = label(el("label", { htmlFor: "model" }), "live.model");
    this.node = el("div", { class: "model-choice" }, words, this.#select, this.#about);
    this.#select.addEventListener("change", async () => {
      try {
        this.update((await api.post("/api/model", { name: this.#select.value })).models);
      } catch (error) {
        this.update(this.#models);
        onError(error);
      }
    });
    onLanguage(() => this.update(this.#models));
    this.update(models);
  }

  update(models) {
    this.#models = models;
    const names = models.choices.map(({ name }) => name);
    // One that was given on the command line may be none of those that are offered.
    const all = names.includes(models.now) ? names : [models.now, ...names];
    clear(this.#select).append(...all.map((name) => el("option", { value: name, text: name })));
    this.#select.value = models.now;
    const by = models.choices.find(({ name }) => name === models.now)?.by ?? "";
    this.#about.textContent = MODELS.includes(by) ? t(`live.model.${by}`) : by && t("live.model.vendor", { vendor: by });
  }
}
