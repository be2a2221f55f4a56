// The message field: speaker, reply, edit, files, commands, and the stop button.

import { Attachments, encoded } from "cadenza/attachments.js";
import { CommandList } from "cadenza/command_list.js";
import { ComposerParts } from "cadenza/composer_parts.js";
import { onLanguage, t } from "cadenza/words.js";

const MOST = 2000; // characters, as Discord counts them
const NEAR = 1800; // from here on the count is shown
const TYPING_EVERY = 8000; // ms: Discord shows it for ten seconds

/** The composer of the channel that is shown; each channel keeps its own draft. */
export class Composer {
  #asked;
  #parts;
  #commands;
  #attachments;
  #channel = null;
  #drafts = new Map(); // channel → {text, reply}
  #reply = null;
  #edited = null;
  #typedAt = -Infinity;
  #sending = Promise.resolve();

  /**
   * @param {HTMLElement} root
   * @param {object} asked
   * @param {(channel: string, what: object) => Promise} asked.say
   * @param {(message: object, text: string) => Promise} asked.edit
   * @param {(channel: string) => void} asked.stop
   * @param {(channel: string, who: string) => void} asked.type
   * @param {() => object|null} asked.lastOfMine the message that ArrowUp edits
   * @param {(sentence: string) => void} asked.refuse
   * @param {() => object} asked.known people and channels, for commands
   * @param {(...args) => Promise<object[]>} asked.suggest
   */
  constructor(root, asked) {
    this.#asked = asked;
    this.#parts = new ComposerParts(root);
    const { field, files, help } = this.#parts;
    this.#attachments = new Attachments(files, { onChange: () => this.#update(), refuse: asked.refuse });
    const suggest = (...about) => asked.suggest(this.#channel, ...about);
    this.#commands = new CommandList(help, field, { known: asked.known, suggest });
    this.#listen(root);
    onLanguage(() => this.#update());
    this.#update();
  }

  /** The people one can speak as. @param {object[]} people */
  set people(people) {
    this.#parts.setPeople(people);
  }

  /** @param {object[]} commands */
  set commands(commands) {
    this.#commands.commands = commands;
  }

  /** Whether a reply is being made here, which can be stopped. @param {boolean} isBusy */
  set isBusy(isBusy) {
    const { stop, field } = this.#parts;
    if (stop.hidden === !isBusy) return;
    // A button that goes away while it has the focus would take the keyboard with it.
    if (!isBusy && document.activeElement === stop) field.focus();
    stop.hidden = !isBusy;
    this.#parts.grow();
  }

  /** Whether nothing is begun. */
  get isEmpty() {
    return !this.#parts.field.value && this.#attachments.isEmpty && !this.#edited && !this.#reply;
  }

  /** Write in *channel* from now on. @param {string} channel @param {string} name as people call it */
  goTo(channel, name) {
    this.#parts.setPlace(name);
    if (channel === this.#channel) return;
    this.#keepDraft();
    this.#channel = channel;
    const draft = this.#drafts.get(channel) ?? { text: "", reply: null };
    this.#edited = null;
    this.#reply = draft.reply;
    this.#write(draft.text);
  }

  focus() {
    this.#parts.field.focus();
  }

  /** @param {object} message */
  replyTo(message) {
    if (this.#edited) this.#cancelEdit();
    this.#reply = message;
    this.#update();
    this.focus();
  }

  /** @param {object} message */
  startEdit(message) {
    if (!this.#edited) this.#keepDraft();
    this.#edited = message;
    this.#reply = null;
    this.#write(message.content);
    this.focus();
  }

  /** Begin with *text*. @param {string} text */
  begin(text) {
    this.#write(text);
    this.focus();
  }

  /** @param {Iterable<File>} files */
  addFiles(files) {
    this.#attachments.add(files);
    this.focus();
  }

  #listen(root) {
    const { field, form, stop, cancel, attach, picker, who } = this.#parts;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    field.addEventListener("keydown", (event) => this.#key(event));
    field.addEventListener("input", () => this.#typed());
    field.addEventListener("paste", (event) => this.#pasted(event));
    stop.addEventListener("click", () => this.#asked.stop(this.#channel));
    cancel.addEventListener("click", () => this.#cancel());
    who.addEventListener("change", () => field.focus());
    attach.addEventListener("click", () => picker.click());
    picker.addEventListener("change", () => {
      this.addFiles(picker.files);
      picker.value = "";
    });
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && event.target !== field) this.focus();
    });
  }

  #key(event) {
    // While a word is being composed, Enter and the arrows belong to the input method.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.#commands.key(event)) event.preventDefault();
    else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "Escape" && this.#cancel()) event.preventDefault();
    else if (event.key === "ArrowUp" && this.isEmpty) this.#editLast(event);
  }

  #editLast(event) {
    const message = this.#asked.lastOfMine();
    if (!message) return;
    event.preventDefault();
    this.startEdit(message);
  }

  #typed() {
    this.#update();
    const isSaid = this.#parts.field.value && !this.#commands.line && !this.#edited;
    if (!isSaid || performance.now() - this.#typedAt < TYPING_EVERY) return;
    this.#typedAt = performance.now();
    this.#asked.type(this.#channel, this.#parts.who.value);
  }

  #pasted(event) {
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData("text/plain");
    // A text that is too long for a message becomes a file, as in Discord: nothing is cut, nothing gets slow.
    const isLong = text.length > MOST && !this.#edited;
    if (!files.length && !isLong) return;
    event.preventDefault();
    this.addFiles(files.length ? files : [new File([text], "message.txt", { type: "text/plain" })]);
  }

  /** Leave what is being done: the edit, else the reply. Returns whether there was any. */
  #cancel() {
    if (this.#edited) this.#cancelEdit();
    else if (this.#reply) this.#reply = null;
    else return false;
    this.#update();
    this.focus();
    return true;
  }

  #cancelEdit() {
    const draft = this.#drafts.get(this.#channel) ?? { text: "", reply: null };
    this.#edited = null;
    this.#reply = draft.reply;
    this.#write(draft.text);
  }

  #keepDraft() {
    if (this.#channel === null || this.#edited) return;
    this.#drafts.set(this.#channel, { text: this.#parts.field.value, reply: this.#reply });
  }

  #write(text) {
    const { field } = this.#parts;
    field.value = text;
    field.setSelectionRange(text.length, text.length);
    this.#update();
  }

  #submit() {
    const text = this.#parts.field.value.trim();
    if (!this.#canBeSent(text)) return;
    if (this.#edited) this.#saveEdit(text);
    else this.#send(text);
  }

  #canBeSent(text) {
    if (!text && (this.#edited || this.#attachments.isEmpty)) return false;
    const line = this.#commands.line;
    if (line?.missing.length) {
      const names = line.missing.map(({ name }) => `${name}:`).join(", ");
      this.#asked.refuse(t("live.missing", { command: `/${line.command.name}`, names }));
      return false;
    }
    if (lengthOf(text) <= MOST || line) return true;
    this.#asked.refuse(t("live.long", { count: lengthOf(text) - MOST }));
    return false;
  }

  #saveEdit(text) {
    const message = this.#edited;
    this.#cancelEdit();
    this.#asked.edit(message, text).catch((error) => {
      this.startEdit(message);
      this.#write(text);
      this.#asked.refuse(error.message);
    });
  }

  #send(text) {
    const [channel, reply, files] = [this.#channel, this.#reply, this.#attachments.take()];
    const who = this.#parts.who.value;
    this.#reply = null;
    this.#typedAt = -Infinity;
    this.#write("");
    const say = async () => {
      const what = { text, ...(who && { who }), ...(reply && { reply_to: reply.id }) };
      if (files.length) what.files = await encoded(files);
      await this.#asked.say(channel, what);
    };
    // One after the other, so that what is typed quickly arrives in its order.
    this.#sending = this.#sending.then(say).catch((error) => {
      this.#bringBack(channel, { text, reply }, files);
      this.#asked.refuse(error.message);
    });
  }

  /** Put a text that could not be sent back, unless the field is in use. */
  #bringBack(channel, draft, files) {
    if (channel !== this.#channel) {
      if (!this.#drafts.get(channel)?.text) this.#drafts.set(channel, draft);
      return;
    }
    if (!this.isEmpty) return;
    this.#reply = draft.reply;
    this.#write(draft.text);
    this.#attachments.add(files);
  }

  #update() {
    const parts = this.#parts;
    const { value } = parts.field;
    this.#commands?.update();
    const about = this.#edited ? t("live.editing") : this.#reply && t("live.replying", { name: this.#reply.author.name });
    parts.setBar(about || "");
    const count = value.length < NEAR ? 0 : lengthOf(value);
    parts.setCount(count < NEAR ? "" : String(MOST - count), count > MOST);
    parts.send.disabled = !value.trim() && (this.#attachments?.isEmpty ?? true);
    // Last, because the elements beside the field take some of its width.
    parts.grow();
  }
}

/** How long *text* is for Discord, which counts characters and not UTF-16 units. @param {string} text */
function lengthOf(text) {
  return [...text].length;
}
