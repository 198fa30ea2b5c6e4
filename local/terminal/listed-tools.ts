/** Lists the tools that the demo user may call, with their prices, for the banner and `--json`. */
import { type ListToolsNeeds, readMergedTools } from '../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../core/settings.ts'
import { isReservedId } from '../../core/skills/built-in-names.ts'

export type ListedTool = {
  readonly name: string
  /** Undefined for built-in tools, which are always free. */
  readonly priceMicro: number | undefined
}

/** Returns skills first, then the built-in tools, each in the list's own order. */
export async function listTools(
  ports: ListToolsNeeds,
  settings: Settings,
): Promise<readonly ListedTool[]> {
  const tools = await readMergedTools(ports, settings, makeToolListCache(), undefined)
  const listed = tools.map((tool): ListedTool => {
    const builtIn = isReservedId(settings.prefix, tool.name)
    return { name: tool.name, priceMicro: builtIn ? undefined : tool.priceMicroCredits }
  })
  const [skills, builtIn] = [true, false].map((priced) =>
    listed.filter((tool) => (tool.priceMicro !== undefined) === priced),
  )
  return [...(skills ?? []), ...(builtIn ?? [])]
}
