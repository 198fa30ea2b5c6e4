/**
 * Makes a skill's entry in the tool list with all fields. Clients use its hints: they ask the user
 * before a destructive call and may repeat an idempotent call. Bound by MCP (ToolAnnotations).
 */
import type { McpTarget, Skill, Tool, ToolAnnotations, ToolUi } from './skill.ts'
import { toToolUi } from './upstreams/ui-meta.ts'

/** Writes fields in the order of read-tool.ts and leaves out undefined ones, as a store does. */
export function toTool(skill: Skill, toolName: string): Tool {
  const { emoji, groups, mcp, outputSchema, source, tags, task, typicalMs } = skill
  const ui = mcp === undefined ? undefined : findToolUi(mcp)
  return {
    name: toolName,
    title: skill.name,
    description: skill.description,
    inputSchema: skill.parameters,
    skillId: skill.skillId,
    priceMicroCredits: skill.priceMicroCredits,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: deriveAnnotations(skill),
    ...(emoji === undefined ? {} : { emoji }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(typicalMs === undefined ? {} : { typicalMs }),
    timeoutMs: skill.timeoutMs,
    ...(task?.required === true ? { needsTask: true as const } : {}),
    ...(ui === undefined ? {} : { ui }),
    ...(groups === undefined || source === 'private' ? {} : { groups }),
  }
}

/** A page is shown only where agents can read it. */
function findToolUi({ hasResources, ui, upstreamId }: McpTarget): ToolUi | undefined {
  if (hasResources !== true || ui === undefined || upstreamId === undefined) return undefined
  return toToolUi(upstreamId, ui)
}

/**
 * Derives the hints from `meta.annotations`, from the tags `read-only`, `destructive` and
 * `idempotent`, and else from the HTTP method: a tool that does not only read is destructive.
 * `destructive` overrides all other statements.
 */
export function deriveAnnotations({
  annotations: own = {},
  method,
  tags,
}: Pick<Skill, 'annotations' | 'method' | 'tags'>): ToolAnnotations {
  const hasTag = (tag: string) => tags.some((one) => one.toLowerCase() === tag)
  const reads = method === 'GET' || method === 'HEAD'
  const destroys = own.destructiveHint === true || hasTag('destructive')
  const readOnlyHint = !destroys && (own.readOnlyHint ?? (reads || hasTag('read-only')))
  const repeatable = reads || method === 'PUT' || method === 'DELETE'
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && (destroys || own.destructiveHint !== false),
    idempotentHint: own.idempotentHint ?? (readOnlyHint || repeatable || hasTag('idempotent')),
    // Every skill calls a server outside the gateway.
    openWorldHint: own.openWorldHint ?? true,
  }
}
