/** Images and files between our parts and the URLs of other formats. */

export interface Media {
  readonly mediaType: string;
  /** Base64 or a URL. */
  readonly data: string;
}

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** `usual`: the media type where the URL does not say it. */
export function fromMediaUrl(url: string, usual: string): Media {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  return mediaType === undefined || data === undefined
    ? { mediaType: usual, data: url }
    : { mediaType, data };
}

export function toMediaUrl({ mediaType, data }: Media): string {
  return isUrl(data) ? data : `data:${mediaType};base64,${data}`;
}

export function isUrl(data: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(data);
}

export function isMedia(part: object): part is Media & { readonly type: "image" | "file" } {
  const { type, mediaType, data } = part as Readonly<Record<string, unknown>>;
  return (type === "image" || type === "file") && typeof mediaType === "string" && typeof data === "string";
}
