export const TIMES_HELP =
  "\nTimes are local, with the offset of the time zone, on a terminal; elsewhere, and in JSON, they are UTC.";
