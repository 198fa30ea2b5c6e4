/** An MCP server that lists the tools of the documented examples, and an upstream with one that waits. */
import { ok } from '../../../core/errors.ts'
import type { McpUpstream } from '../../../core/skills/upstreams/upstream.ts'
import { APPROVAL_EXAMPLE, SHOWN_EXAMPLE } from '../../../lambdas/admin/schemas/upstream-schemas.ts'
import type { World } from '../../core/flow/world.ts'

/** The stored upstream; `files` is free. */
export const STORED_UPSTREAM = 'stored'

const toEntry = (name: string) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: {} },
})

export async function seedUpstream({ ports }: World): Promise<void> {
  const entries = ['read_file', 'write_file', 'delete_file'].map(toEntry)
  const serverInfo = { name: 'files', version: '2.1.0' }
  Object.assign(ports, {
    mcpListings: { tools: async () => ok({ entries, serverInfo, version: '2025-11-25' }) },
  })
  const { by, counts, createdAtMs, settings, updatedAtMs } = SHOWN_EXAMPLE
  await ports.mcpUpstreams.put(
    {
      id: STORED_UPSTREAM,
      settings: { ...settings, prefix: 'stored' } as unknown as McpUpstream['settings'],
      status: { tools: 1, counts, failures: 0, listedAtMs: 1 },
      version: 1,
      by,
      createdAtMs,
      updatedAtMs,
    },
    0,
  )
  for (const { digest, tool } of APPROVAL_EXAMPLE.tools) {
    const entry = toEntry(tool)
    const offer = { tool, digest, entry, state: 'new', seenAtMs: 1, faults: [] } as const
    await ports.mcpUpstreams.putOffer(STORED_UPSTREAM, offer)
  }
}
