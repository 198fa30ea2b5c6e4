/**
 * Judges the defaults of a skill's parameters at sync: each is sent to the upstream when a caller leaves
 * its parameter out, so it has to fit its own schema.
 */

import type { FieldFault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { jsonPointer } from '../../json/json-pointer.ts'
import type { Ports } from '../../ports/ports.ts'
import { allDefaults } from '../../request/default-arguments.ts'

/** Pointers lead into the schema, to the `default`. `parameters` is a sound schema. */
export function defaultFaults(
  { schemas }: Pick<Ports, 'schemas'>,
  parameters: JsonObject,
): readonly FieldFault[] {
  const all = allDefaults(parameters)
  if (all === undefined) return []
  const found = schemas.faults(parameters, all.value)
  return all.at.flatMap((path) => {
    const at = jsonPointer(path)
    const fault = found.find(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`))
    return fault === undefined ? [] : [{ pointer: schemaPointer(path), message: wrong(fault) }]
  })
}

function schemaPointer(path: readonly string[]): string {
  return jsonPointer([...path.flatMap((name) => ['properties', name]), 'default'])
}

function wrong({ message }: FieldFault): string {
  return `does not fit the schema beside it (${message}); correct it, or remove it: a default is sent when a caller leaves the parameter out`
}
