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
 * Derived from the HTTP method; an author's tags `read-only`, `destructive` and `idempotent` take
 * precedence. When they contradict each other or the method, the call counts as destructive.
 */
export function annotationsOf({ method, tags }: Pick<Skill, 'method' | 'tags'>): ToolAnnotations {
  const says = (tag: string) => tags.some((one) => one.toLowerCase() === tag)
  const reads = method === 'GET' || method === 'HEAD'
  const readOnlyHint = !says('destructive') && (reads || says('read-only'))
  const repeatable = reads || method === 'PUT' || method === 'DELETE'
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && (method === 'DELETE' || says('destructive')),
    idempotentHint: readOnlyHint || repeatable || says('idempotent'),
    // Every skill calls a server outside the gateway.
    openWorldHint: true,
  }
}
