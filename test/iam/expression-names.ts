/**
 * The top-level attributes that DynamoDB expressions name. Of `#a.b[0]` that is `#a`, resolved. Bound by the
 * DynamoDB Developer Guide, "Referring to item attributes when using expressions" and "Expression attribute names".
 */

/** Words of the expression languages, in upper case. */
const WORDS = ['ADD', 'AND', 'BETWEEN', 'DELETE', 'IN', 'NOT', 'OR', 'REMOVE', 'SET']

/** A path with its nested parts; a value (`:v`) and a function (`size(`) are told apart by their neighbours. */
const PATH =
  /(?<lead>:?)(?<name>#?[A-Za-z_][A-Za-z0-9_]*)(?<nested>(?:\.#?\w+|\[\d+\])*)(?<call>\s*\()?/g

export function expressionNames(
  expressions: readonly (string | undefined)[],
  names: { readonly [placeholder: string]: string },
): readonly string[] {
  const found = expressions
    .flatMap((text = '') => [...text.matchAll(PATH)])
    .flatMap(({ groups }) => {
      const { lead, name = '', call } = groups ?? {}
      if (lead === ':') return []
      if (call !== undefined && !WORDS.includes(name.toUpperCase())) return []
      if (WORDS.includes(name.toUpperCase())) return []
      return [resolved(name, names)]
    })
  return [...new Set(found)]
}

function resolved(name: string, names: { readonly [placeholder: string]: string }): string {
  if (!name.startsWith('#')) return name
  const attribute = names[name]
  if (attribute === undefined) throw new Error(`expression: ${name} stands for no attribute`)
  return attribute
}
