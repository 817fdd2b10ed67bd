/** Hides secrets in text that is shown, logged or kept: also as they look inside a URL, in base64 and in JSON. */

const HIDDEN = "[hidden]";
/** Shorter ones are ordinary words sooner or later, and hiding those would spoil what people wrote. */
const SHORTEST_SECRET = 8;

/** Linear in the text. Of secrets that contain each other the longest is hidden. */
export function makeRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(formsOf));
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapeForPattern).join("|"), "g");
  return (text) => text.replace(pattern, HIDDEN);
}

function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // A lone surrogate has no form in a URL.
  const url = secret.isWellFormed() ? [encodeURIComponent(secret), encodeURI(secret)] : [];
  return [secret, json, ...url, ...base64Forms(secret)];
}

/** Within a longer text that is base64 as a whole, a secret looks one of three ways, by where it begins; its edges blur. */
function base64Forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64url");
    const inside = text.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6));
    return [inside, inside.replaceAll("-", "+").replaceAll("_", "/")];
  });
  return forms.filter((form) => form.length >= SHORTEST_SECRET);
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
