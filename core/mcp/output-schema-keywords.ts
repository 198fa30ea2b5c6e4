/**
 * What each keyword of JSON Schema has to hold for an output schema to compile in every client, drafts
 * 7 to 2020-12. What is not here is unknown, and harmless as long as it names nothing.
 */

export type Kind =
  | 'schema'
  | 'schemaOrSchemas'
  | 'schemas'
  | 'schemaMap'
  | 'patternMap'
  | 'dependencies'
  | 'ref'
  | 'pattern'
  | 'type'
  | 'names'
  | 'choices'
  | 'text'
  | 'flag'
  /** `true`, or not there. */
  | 'truth'
  | 'number'
  | 'count'
  | 'rootOnly'
  /** Never looked into. */
  | 'data'
  | 'unknown'
  /** Of other dialects, or with effects that clients do not share. */
  | 'never'

export const KEYWORDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...keywords('schema', 'additionalItems', 'additionalProperties', 'contains', 'else', 'if'),
  ...keywords('schema', 'not', 'propertyNames', 'then', 'unevaluatedItems'),
  ...keywords('schema', 'unevaluatedProperties'),
  ...keywords('schemaOrSchemas', 'items'),
  ...keywords('schemas', 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...keywords('schemaMap', '$defs', 'definitions', 'dependentSchemas', 'properties'),
  ...keywords('patternMap', 'patternProperties'),
  ...keywords('dependencies', 'dependencies', 'dependentRequired'),
  ...keywords('ref', '$ref'),
  ...keywords('pattern', 'pattern'),
  ...keywords('type', 'type'),
  ...keywords('names', 'required'),
  ...keywords('choices', 'enum'),
  ...keywords('text', '$comment', '$schema', 'description', 'format', 'title'),
  ...keywords('flag', 'uniqueItems'),
  ...keywords('truth', 'nullable'),
  ...keywords('number', 'exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum'),
  ...keywords('number', 'multipleOf'),
  ...keywords('count', 'maxContains', 'maxItems', 'maxLength', 'maxProperties'),
  ...keywords('count', 'minContains', 'minItems', 'minLength', 'minProperties'),
  ...keywords('data', 'const', 'default'),
  ...keywords('rootOnly', '$id'),
  ...keywords('never', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor'),
  ...keywords('never', '$recursiveRef', '$async', '$data', 'id'),
  ...keywords('never', 'formatExclusiveMaximum', 'formatExclusiveMinimum'),
  ...keywords('never', 'formatMaximum', 'formatMinimum'),
])

function keywords(kind: Kind, ...names: readonly string[]): readonly (readonly [string, Kind])[] {
  return names.map((name) => [name, kind])
}
