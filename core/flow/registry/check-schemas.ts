/**
 * Checks the schemas of a skill at sync: the schemas themselves, the defaults of its parameters,
 * and room for the member that the gateway adds to structured content. Bound by docs/service.md,
 * Skill sync.
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import type { Ports } from '../../ports/ports.ts'
import { makeDefaultsSample } from '../../request/default-arguments.ts'
import { HTTP_MEMBER } from '../../response/http-note.ts'
import { FAULTS_MAX } from '../../skills/limits.ts'
import type { Skill } from '../../skills/skill.ts'

type Needs = Pick<Ports, 'schemas'>

/** Refuses with `invalid_skill`. Defaults are checked only against sound schemas. */
export function checkSchemas({ schemas }: Needs, skill: Skill): Result<undefined> {
  const under = (field: string, schema: JsonObject | undefined) =>
    (schema === undefined ? [] : schemas.schemaFaults(schema)).map((fault) => ({
      ...fault,
      pointer: `/meta/${field}${fault.pointer}`,
    }))
  const unsound = [
    ...under('parameters', skill.parameters),
    ...under('output_schema', skill.outputSchema),
  ]
  const faults =
    unsound.length > 0
      ? unsound
      : [...findDefaultFaults({ schemas }, skill.parameters), ...findHttpMemberFaults(skill)]
  const [first] = faults
  if (first === undefined) return ok(undefined)
  return refuse('invalid_skill', `The schema has a fault: ${first.pointer} ${first.message}.`, {
    faults: faults.slice(0, FAULTS_MAX),
  })
}

/**
 * A default is sent to the upstream when a caller leaves its parameter out, so it must fit its own
 * schema.
 */
function findDefaultFaults({ schemas }: Needs, parameters: JsonObject): readonly FieldError[] {
  const defaults = makeDefaultsSample(parameters)
  if (defaults === undefined) return []
  const unfit = schemas.faults(parameters, defaults.value)
  return defaults.at.flatMap((path) => {
    const at = toJsonPointer(path)
    const fault = unfit.find(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`))
    if (fault === undefined) return []
    const message = `does not fit the schema beside it (${fault.message}); correct it, or remove it: a default is sent when a caller leaves the parameter out`
    return [{ pointer: `/meta/parameters${toSchemaPointer(path)}`, message }]
  })
}

/** The pointer in the schema to the `default` of the argument at `path`. */
function toSchemaPointer(path: readonly string[]): string {
  return toJsonPointer([...path.flatMap((name) => ['properties', name]), 'default'])
}

/**
 * The output schema must leave room for the member that `response.ok_statuses` and
 * `response.show_headers` add: clients discard a result that does not fit.
 */
function findHttpMemberFaults({
  okStatuses,
  outputSchema,
  shownHeaders,
}: Pick<Skill, 'okStatuses' | 'outputSchema' | 'shownHeaders'>): readonly FieldError[] {
  if (okStatuses === undefined && shownHeaders === undefined) return []
  if (outputSchema === undefined || outputSchema['additionalProperties'] !== false) return []
  const { properties } = outputSchema
  if (isJsonObject(properties) && Object.hasOwn(properties, HTTP_MEMBER)) return []
  const message = `forbids the member ${HTTP_MEMBER} that response.ok_statuses and response.show_headers add; put "${HTTP_MEMBER}": {"type": "object"} into its properties`
  return [{ pointer: '/meta/output_schema/additionalProperties', message }]
}
