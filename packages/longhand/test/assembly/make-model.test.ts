import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOSTED_PROVIDERS } from "@longhand/agent/settings";
import { expect, test } from "vitest";
import { modelMaker } from "../../src/assembly/make-model.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { tourPlaces } from "../../src/tour/agent-stops.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

test("the key of each hosted provider reaches its model, and is hidden", async () => {
  await withTemporaryDirectory(async (home) => {
    const config = await readConfig(tourPlaces(home), {});
    expect(config.keys.map(({ provider }) => provider)).toEqual([...HOSTED_PROVIDERS]);
    const secret = (provider: string): string => `a-long-secret-of-${provider}-0123456789`;
    const environment = Object.fromEntries(
      config.keys.map(({ provider, variable }) => [variable, secret(provider)]),
    );
    const maker = await modelMaker(config, environment, () => undefined);
    const without = await modelMaker(config, {}, () => undefined);
    for (const provider of HOSTED_PROVIDERS) {
      expect((await maker.make(`${provider}:some`)).name).toBe(`${provider}:some`);
      await expect(without.make(`${provider}:some`)).rejects.toMatchObject({ code: "MODEL_REFUSED" });
      expect(maker.redact(`so ${secret(provider)} it is`)).not.toContain(secret(provider));
      expect(without.redact(secret(provider))).toBe(secret(provider));
    }
  });
});

test("a key that is missing is asked for where the configuration looks for it", async () => {
  await withTemporaryDirectory(async (home) => {
    const places = tourPlaces(home);
    const settings = join(places.home.path, "longhand.json");
    await mkdir(places.home.path, { recursive: true });
    const file = join(home, "key-of-anthropic");
    const models = { openai: { api_key_env: "WORK_KEY" }, anthropic: { api_key_file: file } };
    await writeFile(settings, JSON.stringify({ models }));
    const maker = await modelMaker(await readConfig(places, {}), {}, () => undefined);
    await expect(maker.make("openai:some")).rejects.toThrow(
      `set WORK_KEY in the environment, or name a file of mode 0600 that holds it as models.openai.api_key_file in ${settings}`,
    );
    await expect(maker.make("anthropic:some")).rejects.toThrow(`write it into ${file}`);
  });
});

test("a key that is found is offered with a --model to name, and never used by itself", async () => {
  await withTemporaryDirectory(async (home) => {
    const places = tourPlaces(home);
    // Nothing listens there.
    const environment = {
      OLLAMA_HOST: "127.0.0.1:1",
      OPENAI_API_KEY: "a-long-secret-0123456789",
      ANTHROPIC_API_KEY: "another-long-secret-0123456789",
    };
    const notices: string[] = [];
    const config = await readConfig(places, environment);
    const maker = await modelMaker(config, environment, (text) => notices.push(text));
    expect(notices).toEqual([]);
    expect((await maker.make("auto")).name).toBe("offline");
    expect(notices).toEqual([
      expect.stringMatching(/^key found in OPENAI_API_KEY: --model openai:[a-z0-9.-]+$/),
      expect.stringMatching(/^key found in ANTHROPIC_API_KEY: --model anthropic:[a-z0-9.-]+$/),
    ]);
    const without: string[] = [];
    const bare = { OLLAMA_HOST: "127.0.0.1:1" };
    await (await modelMaker(await readConfig(places, bare), bare, (text) => without.push(text))).make("auto");
    expect(without).toEqual([]);
  });
});
