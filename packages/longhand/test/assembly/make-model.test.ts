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
