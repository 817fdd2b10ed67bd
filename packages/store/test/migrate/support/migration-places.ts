import type { MigrationPlaces } from "../../../src/migrate/migration-places.ts";

export function placesOf(directory: string): MigrationPlaces {
  return {
    directory,
    aliases: `${directory}/aliases`,
    archive: `${directory}/archive`,
    trash: `${directory}/trash`,
    own: `${directory}/.longhand`,
    damaged: `${directory}/.longhand/damaged`,
    removed: `${directory}/.longhand/removed`,
    putAwayName: (name, id) => `${name.slice(0, -".jsonl".length)}.${id}.jsonl`,
  };
}
