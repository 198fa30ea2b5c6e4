/**
 * Everything that the text of a skill alone can be refused for: its form, its name, its schema, where
 * it goes, and the options of its hook. Reads no store and writes nothing. Bound by the spec (Skill
 * input formats) and design section 4 (Admin bodies).
 */
import { checkTarget } from '../call/check-target.ts'
import { ok, type Result, refuse } from '../errors.ts'
import { parseJson } from '../json/parse-json.ts'
import type { Hooks, Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { isReserved } from '../skills/built-in.ts'
import { FAULTS_MAX } from '../skills/limits.ts'
import { type ReadSkill, readSkill } from '../skills/read-skill.ts'
import type { Skill, SkillSource } from '../skills/skill.ts'
import { detectFormat } from '../skills/skill-format.ts'

export type JudgeNeeds = Pick<Ports, 'schemas'> & {
  /** Judges options and calls nobody. */
  readonly hooks: Pick<Hooks, 'optionFaults'>
}

type SkillText = {
  readonly text: string
  readonly source: SkillSource | undefined
  readonly uid: string | undefined
}

export function judgeSkill(
  ports: JudgeNeeds,
  settings: Settings,
  request: SkillText,
): Result<ReadSkill> {
  const format = detectFormat(request.text)
  if (!format.ok) return format
  const definition = parseJson(request.text)
  if (!definition.ok) return definition
  const source = request.source === undefined ? {} : { source: request.source }
  const read = readSkill(definition.value, { prefix: settings.prefix, ...source })
  if (!read.ok) return read
  const { skill } = read.value
  if (skill.source === 'private' && request.uid === undefined) {
    return refuse(
      'malformed',
      'uid: a private skill needs its owner. Add ?uid=<user id> to the URL.',
    )
  }
  if (isReserved(settings.prefix, skill.skillId)) {
    return refuse(
      'invalid_skill',
      `id: ${skill.skillId} is the name of a built-in tool. Choose another id.`,
      {
        faults: [{ pointer: '/id', message: 'is the name of a built-in tool' }],
      },
    )
  }
  const faults = ports.schemas.schemaFaults(skill.parameters)
  if (faults.length > 0) {
    const under = faults.map((fault) => ({ ...fault, pointer: `/meta/parameters${fault.pointer}` }))
    return refuse(
      'invalid_skill',
      `meta.parameters: ${faults[0]?.message ?? 'is no usable JSON Schema'}`,
      { faults: under },
    )
  }
  const target = checkTarget(skill.endpoint, { outboundAllow: settings.outboundAllow })
  if (!target.ok) return target
  const options = checkHookOptions(ports, skill)
  return options.ok ? read : options
}

/** Of a hook that this build does not know nobody can judge the options. */
function checkHookOptions(
  { hooks }: JudgeNeeds,
  { hookOptions, pluginHook }: Skill,
): Result<undefined> {
  if (pluginHook === undefined) return ok(undefined)
  const faults = hooks.optionFaults(pluginHook, hookOptions) ?? []
  const [first] = faults
  if (first === undefined) return ok(undefined)
  const under = faults.map((one) => ({ ...one, pointer: `/config/plugin_options${one.pointer}` }))
  return refuse(
    'invalid_skill',
    `config.plugin_options: ${first.pointer || 'they'} ${first.message}.`,
    { faults: under.slice(0, FAULTS_MAX) },
  )
}
