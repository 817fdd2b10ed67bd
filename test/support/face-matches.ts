/** Compares @longhand/store with its fixed face. There is nothing to run: it compiles, or a caller would break. */

import type * as store from "@longhand/store";
import type * as face from "./face.ts";

type Assert<Claim extends true> = Claim;
/** Each can stand in for the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Assignability alone would let a lost field pass when it is optional. */
type SameNames<A, B> = Same<keyof A, keyof B>;
/** Ours may offer more than the face, never less. Names the members that are missing or do less. */
type Lacks<Ours, Face> = {
  [Name in keyof Face]-?: Name extends keyof Ours
    ? Serves<Ours[Name], Face[Name]> extends true
      ? never
      : Name
    : Name;
}[keyof Face];
type Offers<Ours, Face> = [Lacks<Ours, Face>] extends [never] ? true : false;
/** TypeScript compares the parameters of methods loosely, either way round; here as a caller needs it. */
type Serves<Ours, Face> = [Face, Ours] extends [
  (...args: infer FaceArgs) => infer FaceResult,
  (...args: infer OurArgs) => infer OurResult,
]
  ? [FaceArgs, OurResult] extends [OurArgs, FaceResult]
    ? true
    : false
  : [Ours] extends [Face]
    ? true
    : false;

/** An option that ours does not know would still be assignable: an object may have more fields than are read. */
type OptionNames<T, Operation extends keyof T, Index extends number> = T[Operation] extends (
  ...args: infer Args
) => unknown
  ? keyof NonNullable<Args[Index]>
  : never;
type SameOptions<Ours, Face, Operation extends keyof Ours & keyof Face, Index extends number> = Same<
  OptionNames<Ours, Operation, Index>,
  OptionNames<Face, Operation, Index>
>;

/** Where ours has options of its own beside those of the face. */
type HasOptions<Ours, Face, Operation extends keyof Ours & keyof Face, Index extends number> = [
  OptionNames<Face, Operation, Index>,
] extends [OptionNames<Ours, Operation, Index>]
  ? true
  : false;
/** The same for fields: ours may have more, if they are optional. */
type HasNames<Ours, Face> = [keyof Face] extends [keyof Ours] ? true : false;

interface MyMessage extends store.Message {
  readonly mood: string;
}

export type FaceMatches = [
  Assert<Same<store.Message, face.FaceMessage>>,
  Assert<SameNames<store.Message, face.FaceMessage>>,
  Assert<Same<store.ContentPart, face.FacePart>>,
  Assert<Offers<face.FaceStoreOptions, store.StoreOptions>>,
  Assert<SameNames<store.StoreOptions, face.FaceStoreOptions>>,
  Assert<Offers<store.Store, face.FaceStore>>,
  Assert<Offers<store.Store<MyMessage>, face.FaceStore<MyMessage>>>,
  Assert<Offers<store.Session, face.FaceSession>>,
  Assert<Offers<store.Session<MyMessage>, face.FaceSession<MyMessage>>>,
  Assert<HasOptions<store.Store, face.FaceStore, "list", 0>>,
  Assert<HasOptions<store.Store, face.FaceStore, "search", 1>>,
  Assert<SameOptions<store.Session, face.FaceSession, "append", 1>>,
  Assert<SameOptions<store.Session, face.FaceSession, "note", 2>>,
  Assert<SameOptions<store.Session, face.FaceSession, "replace", 1>>,
  Assert<SameOptions<store.Session, face.FaceSession, "messages", 0>>,
  Assert<SameOptions<store.Session, face.FaceSession, "iterate", 0>>,
  Assert<HasOptions<store.Session, face.FaceSession, "records", 0>>,
  Assert<SameOptions<store.Session, face.FaceSession, "truncate", 1>>,
  Assert<SameOptions<store.Session, face.FaceSession, "rewind", 1>>,
  Assert<SameOptions<store.Session, face.FaceSession, "compact", 1>>,
  Assert<Same<store.SessionInfo, face.FaceSessionInfo>>,
  Assert<SameNames<store.SessionInfo, face.FaceSessionInfo>>,
  Assert<Same<store.SessionRecord, face.FaceRecord>>,
  Assert<Same<store.SessionRecord<MyMessage>, face.FaceRecord<MyMessage>>>,
  Assert<Same<store.SearchHit, face.FaceSearchHit>>,
  Assert<SameNames<store.SearchHit, face.FaceSearchHit>>,
  Assert<Same<store.Damage, face.FaceDamage>>,
  Assert<HasNames<store.Damage, face.FaceDamage>>,
  Assert<Same<store.LonghandErrorCode, face.FaceErrorCode>>,
  Assert<Offers<store.LonghandError, face.FaceError>>,
  Assert<Offers<store.SessionStore, face.FaceSessionStore>>,
  Assert<Offers<face.FaceSessionStore, store.SessionStore>>,
  Assert<Offers<store.SessionManager, face.FaceSessionStore>>,
  Assert<Offers<store.JsonlSessions, face.FaceSessionStore>>,
  Assert<Same<ReturnType<typeof store.openStore<MyMessage>>, Promise<store.Store<MyMessage>>>>,
  Assert<Same<Parameters<typeof store.openStore>[0], string | store.Backend>>,
];
