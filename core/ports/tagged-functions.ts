/** Port for Lambda functions that carry a tag. */

export type FunctionTag = {
  readonly key: string
  /** Undefined for any value. */
  readonly value?: string | undefined
}

export type TaggedFunction = {
  /** Without a version or an alias. */
  readonly arn: string
  readonly tags: { readonly [key: string]: string }
}

export type FoundFunctions =
  | { readonly kind: 'found'; readonly functions: readonly TaggedFunction[] }
  /** More than FUNCTIONS_MAX functions have the tag. */
  | { readonly kind: 'too_many' }
  /** The role of the gateway may not look for functions. */
  | { readonly kind: 'no_right' }
  /** There are no credentials of AWS. */
  | { readonly kind: 'no_account' }
  /** `name`: AWS's name of the error. */
  | { readonly kind: 'failed'; readonly name: string }

export type TaggedFunctions = {
  /** The functions of the gateway's own account and region, in no order. */
  find(tag: FunctionTag): Promise<FoundFunctions>
}
