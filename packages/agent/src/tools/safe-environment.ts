/**
 * What a child process is told of our environment: a list of what may pass, since no list of what may not is ever complete. Keys of
 * providers stay out, and so does what makes a program load code: LD_PRELOAD, NODE_OPTIONS, BASH_ENV, GIT_ and the like.
 */

const PASSED = ["LANG", "LC_ALL", "LC_CTYPE", "TZ"] as const;
const PLAIN = /^[\w.@+/:-]{1,64}$/;

export function safeEnvironment(settings: { path: string; home: string }): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED) {
    const value = process.env[name];
    if (value !== undefined && PLAIN.test(value)) passed[name] = value;
  }
  return {
    LANG: "C.UTF-8",
    ...passed,
    PATH: settings.path,
    HOME: settings.home,
    TMPDIR: "/tmp",
    TERM: "dumb",
  };
}
