/** A call of an answer, under an id that no other call of the turn has. */
export interface StepCall {
  readonly id: string;
  /** As the model has named it. */
  readonly givenId: string;
  readonly name: string;
  /** `undefined`: the text is no JSON, or none that can be kept. */
  readonly input: unknown;
  readonly text: string;
  /** Why it is not run, for the model. */
  readonly refusal: string | undefined;
}
