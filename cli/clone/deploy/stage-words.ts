/** What a person gives `skillgate deploy`, `diff` and `destroy`. */
export type StageWords = {
  readonly stage: string
  /** For the CDK. */
  readonly rest: readonly string[]
}
