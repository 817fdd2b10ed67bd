/** What may be given as the id of an entry of the memory. */
export const ID_HELP = "the id of an entry, or how it begins, if no other begins so";
