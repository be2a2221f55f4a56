// The live page: records of the server go into the film, the view follows the film, actions go to the server.

import { Api, Events } from "cadenza/api.js";
import { listenToDrops } from "cadenza/attachments.js";
import { ChannelView } from "cadenza/channel.js";
import { Chips, welcome } from "cadenza/chips.js";
import { Composer } from "cadenza/composer.js";
import { Actions } from "cadenza/actions.js";
import { Toasts } from "cadenza/dialogs.js";
import { clear, el } from "cadenza/dom.js";
import { InsideView } from "cadenza/inside.js";
import { listenToKeys, showKeys } from "cadenza/keys.js";
import { Live } from "cadenza/live.js";
import { Panels } from "cadenza/panels.js";
import { Navigation } from "cadenza/navigation.js";
import { Rail, applyTheme, signOf } from "cadenza/rail.js";
import { Rewind } from "cadenza/rewind.js";
import { Shell } from "cadenza/shell.js";
import { language, onLanguage, setLanguage, t } from "cadenza/words.js";
import "cadenza/words_live.js";

const TICK = 100; // ms between two updates of the clock
const SETTLES = 400; // ms without a record
const AGAIN = 2000; // ms until the page asks the server again after a failed start

/** The whole page. */
class App {
  #api = new Api();
  #actions = new Actions(this.#api, (error) => this.#fail(error));
  #state;
  #live;
  #toasts;
  #shell;
  #rail;
  #acts;
  #channelView;
  #inside;
  #composer;
  #chips;
  #rewind;
  #panels;
  #navigation;
  #channel = null;
  #isFramed = false;
  #tick = null;
  #insideAt = -Infinity;
  #settling = null;
  #isSettled = false; // whether the records from before the page was opened have arrived

  /**
   * @param {HTMLElement} root
   * @param {object} state what the server said first
   */
  constructor(root, state) {
    this.#state = state;
    this.#live = new Live({ me: state.me, channels: state.channels });
    this.#toasts = new Toasts(document.body);
    this.#makeFrame(root);
    this.#makeRoom();
    this.#listen();
    this.goTo(state.channels[0]?.id ?? null);
    this.#connect();
  }

  #makeFrame(root) {
    this.#shell = new Shell(root, {
      onView: (view) => this.#viewed(view),
      onTab: (tab) => this.#tabbed(tab),
      onSkip: (target) => this.#navigation.goTo(target),
    });
    const { parts } = this.#shell;
    this.#rail = new Rail(parts.rail, {
      onChannel: (channel) => this.goTo(channel, true),
      onView: (view) => this.#shell.showView(view),
      onHelp: showKeys,
    });
    this.#rail.setView("chat");
    this.#panels = new Panels(parts, {
      api: this.#api,
      state: this.#state,
      onTry: () => this.#navigation.goTo("composer"),
      onError: (error) => this.#fail(error),
    });
    welcome(parts.welcome, () => this.#shell.showView("tour"), () => this.#focusComposer());
  }

  #makeRoom() {
    const { parts, headButtons } = this.#shell;
    this.#acts = this.#actions.forMessages({
      reply: (message) => this.#composer.replyTo(message),
      edit: (message) => this.#composer.startEdit(message),
      menus: this.#state.menus ?? [],
    });
    this.#channelView = new ChannelView(parts.messages, {
      me: this.#state.me,
      onSelect: (id) => this.#selectedMessage(id),
      actions: this.#acts,
    });
    this.#inside = new InsideView(parts.inside, {
      onSelect: (selection) => this.#selectedInside(selection),
      onSeek: (time) => this.#rewind.seek(time),
    });
    this.#chips = new Chips(parts.chips, this.#state.suggestions ?? [], (text) => this.#suggested(text));
    this.#rewind = new Rewind(parts.rewind, parts.notice, {
      onTime: () => this.#draw(),
      film: () => ({ seconds: Math.max(this.#live.now, this.#live.reel.seconds), events: this.#events() }),
    });
    headButtons.prepend(this.#rewind.button);
    this.#composer = this.#makeComposer(parts.composer);
    this.#navigation = new Navigation({
      shell: this.#shell,
      rail: this.#rail,
      composer: this.#composer,
      channels: () => this.#live.channels,
      channel: () => this.#channel,
      onChannel: (channel) => this.goTo(channel, true),
    });
    this.#composer.people = this.#state.people;
    this.#composer.commands = this.#state.commands;
  }

  #makeComposer(root) {
    const quietly = (promise) => promise.catch((error) => this.#fail(error));
    return new Composer(root, {
      say: (channel, what) => this.#say(channel, what),
      edit: (message, text) => this.#api.act("edit", { channel: message.channel, id: message.id, text }),
      stop: (channel) => quietly(this.#say(channel, { text: "/stop" })),
      // Typing is only cosmetic: a failure is ignored.
      type: (channel, who) => this.#api.act("type", { channel, ...(who && { who }) }).catch(() => undefined),
      lastOfMine: () => this.#lastOfMine(),
      refuse: (sentence) => this.#toasts.error(sentence),
      known: () => ({ people: this.#state.people, channels: this.#live.channels }),
      suggest: async (channel, command, option, text, others) => {
        return (await this.#api.act("suggest", { channel, command, option, text, others })).suggestions;
      },
    });
  }

  #listen() {
    listenToKeys({
      onRegion: (by) => this.#navigation.moveRegion(by),
      onChannel: (by) => this.#navigation.moveChannel(by),
      onJump: () => this.#navigation.jump(),
    });
    document.addEventListener("visibilitychange", () => this.#look());
    onLanguage(() => this.#speak());
    listenToDrops(this.#shell.room, (files) => this.#composer.addFiles(files));
    if (language() !== this.#state.language) this.#speak();
  }

  #connect() {
    const notConnected = el("span", { class: "not-connected" });
    const events = new Events({
      session: this.#state.session,
      onRecord: (record) => this.#take(record),
      onHello: (hello) => {
        this.#live.setClock(hello.now);
        if (!this.#isSettled) this.#settle();
      },
      onOtherSession: () => location.reload(),
      onConnected: (isConnected) => {
        notConnected.remove();
        notConnected.textContent = t("live.disconnected");
        if (!isConnected) this.#shell.parts.notice.append(notConnected);
      },
    });
    events.open();
  }

  // What comes.

  #take(record) {
    if (!this.#isSettled) this.#settle();
    this.#live.take(record, this.#seen());
    if (record.kind === "channel" && record.channel?.id === this.#channel) this.#name();
    if (record.kind === "form") this.#actions.showForm(record);
    // A fault that was asked for may be used up now.
    if (record.kind === "call" && this.#shell.tab === "discord") this.#panels.refreshSoon("discord");
    // What was noted before this page was opened is no news.
    if (record.kind === "note" && this.#isSettled) this.#toasts.note(record.text);
    // A page in the background draws no frames, but its title is seen.
    if (document.hidden) this.#entitle();
    this.#draw();
  }

  /** What happened before comes all at once; when that is over, what comes is news. */
  #settle() {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#isSettled = true;
    }, SETTLES);
  }

  /** The channel that is shown live, or null. */
  #seen() {
    const isSeen = !document.hidden && this.#shell.isRoomSeen && this.#rewind.time === null;
    return isSeen ? this.#channel : null;
  }

  // What is seen.

  /** Draw what has changed, once a frame, however much has come. */
  #draw() {
    if (this.#isFramed) return;
    this.#isFramed = true;
    requestAnimationFrame(() => {
      this.#isFramed = false;
      this.#drawn();
    });
  }

  #drawn() {
    const time = this.#rewind.time ?? this.#live.now;
    const state = this.#live.reel.stateAt(time);
    const isTyping = (state.typing.get(this.#channel)?.length ?? 0) > 0;
    if (this.#channel !== null) this.#channelView.show(state, this.#channel);
    const isBusy = this.#live.isBusy(this.#channel);
    this.#composer.isBusy = isBusy;
    this.#chips.isShown = !isBusy && !isTyping && this.#rewind.time === null;
    this.#drawInside(time);
    this.#rewind.update();
    this.#look();
    if (state.typing.size || this.#live.isMoving) this.#lookAgain();
  }

  #drawInside(time) {
    if (!this.#shell.isInsideSeen || this.#channel === null) return;
    if (performance.now() - this.#insideAt < TICK && this.#rewind.time === null) {
      this.#lookAgain();
      return;
    }
    this.#insideAt = performance.now();
    this.#inside.show(this.#live.reel, { channel: this.#channel, time });
  }

  #lookAgain() {
    this.#tick ??= setTimeout(() => {
      this.#tick = null;
      this.#draw();
    }, TICK);
  }

  /** What is looked at is read; the rail and the title say what is not. */
  #look() {
    const seen = this.#seen();
    if (seen !== null) this.#live.read(seen);
    const shown = this.#shell.view === "chat" ? this.#channel : null;
    this.#rail.setChannels(this.#live.channels, shown, (id) => this.#live.unread(id));
    this.#shell.hasUnread = this.#live.unreadCount > 0;
    this.#entitle();
  }

  #entitle() {
    const count = this.#live.unreadCount;
    const channel = this.#live.channels.find(({ id }) => id === this.#channel);
    const place = channel ? `${signOf(channel)}${channel.name} · Cadenza` : "Cadenza";
    const title = count ? `(${count}) ${place}` : place;
    if (document.title !== title) document.title = title;
  }

  #events() {
    return this.#live.reel.moments.map(({ at }) => at);
  }

  // Where one goes.

  /** Show *channel*. @param {string|null} channel @param {boolean} isChosen by the user */
  goTo(channel, isChosen = false) {
    if (!this.#live.channels.some(({ id }) => id === channel)) return;
    this.#channel = channel;
    this.#name();
    this.#inside.select(null);
    this.#selectedInside(null);
    if (isChosen) this.#shell.showView("chat");
    if (isChosen) this.#focusComposer();
    this.#draw();
  }

  #focusComposer() {
    // On a phone the keyboard would cover what one came to see.
    if (!this.#shell.isPhone) this.#composer.focus();
  }

  /** Say which channel is shown. */
  #name() {
    const channel = this.#live.channels.find(({ id }) => id === this.#channel);
    const { title, topic } = this.#shell.parts;
    title.textContent = `${signOf(channel)} ${channel.name}`;
    topic.textContent = channel.topic ?? "";
    this.#composer.goTo(channel.id, `${signOf(channel)}${channel.name}`);
  }

  #viewed(view) {
    this.#rail.setView(view);
    this.#panels.open(view);
    if (view !== "chat") this.#shell[view].focus();
    this.#draw();
  }

  #tabbed(tab) {
    this.#panels.open(tab);
    this.#draw();
  }

  #selectedMessage(id) {
    if (id === null) {
      this.#inside.select(null);
      return;
    }
    this.#shell.showTab("inside");
    // It must have seen the message before it can tell its story.
    this.#inside.show(this.#live.reel, { channel: this.#channel, time: this.#rewind.time ?? this.#live.now });
    this.#inside.select({ kind: "message", id });
  }

  #selectedInside(selection) {
    const ids = selection?.kind === "token" ? this.#inside.messagesOf(selection) : selection ? [selection.id] : [];
    this.#channelView.mark(selection?.kind === "token" ? ids : []);
    this.#channelView.select(ids[0] ?? null);
  }

  // What is done.

  async #say(channel, what) {
    this.#rewind.backToLive();
    return this.#actions.say(channel, what);
  }

  #suggested(text) {
    this.#focusComposer(); // while the reply comes there are no suggestions, and the focus would be nowhere
    this.#say(this.#channel, { text }).catch((error) => {
      this.#composer.begin(text);
      this.#fail(error);
    });
  }

  #lastOfMine() {
    const state = this.#live.reel.stateAt(this.#live.now);
    const messages = state.messages.get(this.#channel) ?? [];
    return messages.findLast(({ author, content }) => author.id === this.#state.me && content) ?? null;
  }

  async #speak() {
    try {
      await this.#api.post("/api/language", { language: language() });
      const { commands, menus } = await this.#api.state();
      this.#composer.commands = commands;
      this.#acts.menus = menus;
    } catch (error) {
      this.#fail(error);
    }
    this.#draw();
  }

  #fail(error) {
    this.#toasts.error(error.message);
  }
}

/** What the server says first; it is asked until it answers. */
async function firstState(root) {
  for (;;) {
    try {
      return await new Api().state();
    } catch (error) {
      clear(root).append(el("p", { class: "not-begun", role: "alert", text: error.message }));
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }
}

applyTheme();
setLanguage(language(), { isKept: false });
const root = document.getElementById("app");
const state = await firstState(root);
new App(clear(root), state);
