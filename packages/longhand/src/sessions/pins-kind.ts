/** The kind of note that `pinMessage` of the store writes: `{"pins":[seq,…]}`. Here, so that it is known without loading the context. */
export const PINS_KIND = "longhand/pins";
