/**
 * A skill's entry in the tool list, in its richest form. Clients act on its hints: they ask the
 * user before a destructive call and may repeat an idempotent one. Bound by MCP (ToolAnnotations).
 */
import type { Skill, Tool, ToolAnnotations } from './skill.ts'

/** Fields in the order of read-tool.ts; absent rather than undefined, as a store returns them. */
export function toolOfSkill(skill: Skill, toolName: string): Tool {
  const { emoji, groups, outputSchema, source, tags, typicalMs } = skill
  return {
    name: toolName,
    title: skill.name,
    description: skill.description,
    inputSchema: skill.parameters,
    skillId: skill.skillId,
    priceMicroCredits: skill.priceMicroCredits,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: annotationsOf(skill),
    ...(emoji === undefined ? {} : { emoji }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(typicalMs === undefined ? {} : { typicalMs }),
    timeoutMs: skill.timeoutMs,
    ...(groups === undefined || source === 'private' ? {} : { groups }),
  }
}

/**
 * What the author says in `meta.annotations` or by the tags `read-only`, `destructive` and `idempotent`, else what
 * follows from the HTTP method: a tool that does not only read is destructive. `destructive` wins over everything else
 * that is said.
 */
export function annotationsOf({
  annotations: own = {},
  method,
  tags,
}: Pick<Skill, 'annotations' | 'method' | 'tags'>): ToolAnnotations {
  const says = (tag: string) => tags.some((one) => one.toLowerCase() === tag)
  const reads = method === 'GET' || method === 'HEAD'
  const destroys = own.destructiveHint === true || says('destructive')
  const readOnlyHint = !destroys && (own.readOnlyHint ?? (reads || says('read-only')))
  const repeatable = reads || method === 'PUT' || method === 'DELETE'
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && (destroys || own.destructiveHint !== false),
    idempotentHint: own.idempotentHint ?? (readOnlyHint || repeatable || says('idempotent')),
    // Every skill calls a server outside the gateway.
    openWorldHint: own.openWorldHint ?? true,
  }
}
