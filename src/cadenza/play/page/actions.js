// Sends the user's actions to the server, and shows the bot's modals.

import { openForm } from "cadenza/dialogs.js";

const FORM_WAITS = 60_000; // ms in which a form is an answer to what was done here

/** What is done on this page. The server tells every page of a form, but only the one that asked for it shows it. */
export class Actions {
  #api;
  #onError;
  #at = -Infinity;

  /**
   * @param {object} api
   * @param {(error: Error) => void} onError something could not be done
   */
  constructor(api, onError) {
    this.#api = api;
    this.#onError = onError;
  }

  /** Say something in *channel*. */
  say(channel, what) {
    this.#at = performance.now();
    return this.#api.say({ channel, ...what });
  }

  /**
   * What can be done with a message: `actions` of a `ChannelView`.
   * @param {{reply: (message: object) => void, edit: (message: object) => void, menus: string[]}} here what this page does itself
   */
  forMessages(here) {
    const act = (name) => (message, about) => this.#act(name, message, about);
    const [react, unreact, remove, press, choose, menu] = ["react", "unreact", "delete", "press", "choose", "menu"].map(act);
    return {
      ...here,
      react: (message, emoji, isMine) => (isMine ? unreact : react)(message, { emoji }),
      remove: (message) => remove(message),
      press: (message, component) => press(message, { component: idOf(component) }),
      choose: (message, component, values) => choose(message, { component: idOf(component), values }),
      menu: (message, name) => menu(message, { name }),
    };
  }

  #act(name, message, about = {}) {
    this.#at = performance.now();
    return this.#api.act(name, { channel: message.channel, id: message.id, ...about }).catch(this.#onError);
  }

  /** Show a form of the bot, if it answers what was done here. */
  showForm({ interaction, form }) {
    if (performance.now() - this.#at > FORM_WAITS) return;
    this.#at = -Infinity;
    openForm(form, (values) => {
      this.#at = performance.now();
      return this.#api.act("submit", { interaction, values });
    });
  }
}

/** Buttons and menus are told to the server by their ids. */
function idOf(component) {
  return typeof component === "string" ? component : component.id;
}
