/** Addresses of servers, as people write them. */

import { AgentError } from "../errors.ts";

/** Without a slash at the end. "127.0.0.1:11434" is meant as http. OPTION_INVALID for what is no address of a web server. */
export function httpUrl(text: string): string {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new AgentError(
      "OPTION_INVALID",
      `"${text}" is no address of a server; write e.g. http://127.0.0.1:11434`,
    );
  if (url.username !== "" || url.password !== "")
    throw new AgentError(
      "OPTION_INVALID",
      `the address of ${url.host} must not contain a password; use a key`,
    );
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
