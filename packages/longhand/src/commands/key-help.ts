/** What may be given as a key to a command that needs a session that is there. */
export const KEY_HELP = "the key, any part of it that no other key has, or “last”";
