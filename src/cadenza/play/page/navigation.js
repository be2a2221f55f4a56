// Keyboard navigation: between parts of the page, between channels, and to any view.

import { openJump } from "cadenza/dialogs.js";
import { signOf } from "cadenza/rail.js";
import { t } from "cadenza/words.js";

/** Goes to any part of the page. */
export class Navigation {
  #asked;

  /**
   * @param {object} asked
   * @param {import("cadenza/shell.js").Shell} asked.shell
   * @param {import("cadenza/rail.js").Rail} asked.rail
   * @param {import("cadenza/composer.js").Composer} asked.composer
   * @param {() => object[]} asked.channels
   * @param {() => string|null} asked.channel the one that is shown
   * @param {(channel: string) => void} asked.onChannel
   */
  constructor(asked) {
    this.#asked = asked;
  }

  /** To the next channel (1) or the previous one (-1). @param {number} by */
  moveChannel(by) {
    const ids = this.#asked.channels().map(({ id }) => id);
    const next = ids[(ids.indexOf(this.#asked.channel()) + by + ids.length) % ids.length];
    if (next) this.#asked.onChannel(next);
  }

  /** To the next part of the page (1) or the previous one (-1). @param {number} by */
  moveRegion(by) {
    const { shell } = this.#asked;
    const { rail, messages, composer } = shell.parts;
    const places = { rail, messages, composer, panel: shell.panel, tour: shell.tour, lab: shell.lab };
    const names = shell.view === "chat" ? ["rail", "messages", "composer", "panel"] : ["rail", shell.view];
    const at = names.findIndex((name) => places[name].contains(document.activeElement));
    this.goTo(names[at < 0 && by < 0 ? names.length - 1 : (at + by + names.length) % names.length]);
  }

  /** To a part of the page. @param {"rail"|"messages"|"composer"|"panel"|"tour"|"lab"} name */
  goTo(name) {
    const { shell, rail, composer } = this.#asked;
    switch (name) {
      case "panel":
        shell.focusPanel();
        break;
      case "rail":
        shell.showScreen("rail");
        rail.focus();
        break;
      case "tour":
      case "lab":
        shell.showView(name);
        break;
      default:
        shell.showView("chat");
        if (name === "composer") composer.focus();
        else focusInto(shell.parts.messages);
    }
  }

  /** Ask where to, and go there. */
  jump() {
    const { shell, channels, onChannel } = this.#asked;
    const rooms = channels().map((channel) => ({
      label: `${signOf(channel)}${channel.name}`,
      about: channel.topic ?? "",
      go: () => onChannel(channel.id),
    }));
    const views = ["chat", "tour", "lab"].map((view) => ({
      label: t(`live.view.${view}`),
      about: t("live.views"),
      go: () => this.goTo(view === "chat" ? "composer" : view),
    }));
    const tabs = ["inside", "settings", "discord"].map((tab) => ({
      label: t(`live.tab.${tab}`),
      about: t("live.panel"),
      go: () => {
        shell.showTab(tab);
        shell.focusPanel();
      },
    }));
    openJump([...rooms, ...views, ...tabs]);
  }
}

/** Give the focus to what Tab would reach in *node*, else to *node* itself. */
function focusInto(node) {
  const inner = node.querySelector('[tabindex="0"]');
  if (!inner) node.tabIndex = -1;
  (inner ?? node).focus();
}
