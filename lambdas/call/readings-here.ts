/** Reads of what upstreams hold, in this process. Few agents read any, so the code is loaded late. */
import { loadOnce } from '../../core/cache/load-once.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type { AskServerNeeds } from '../../core/flow/upstreams/ask-server.ts'
import type { McpReadings } from '../../core/ports/mcp-upstreams.ts'
import type { Settings } from '../../core/settings.ts'

type ReadingsHost = {
  readonly ports: AskServerNeeds
  readonly settings: Settings
  readonly caches: Pick<ExecuteCaches, 'upstreams'>
}

const loadReader = loadOnce(() => import('../../core/flow/upstreams/read-server.ts'))

export function readingsHere({ caches, ports, settings }: ReadingsHost): McpReadings {
  return {
    read: async (order) => {
      const { readFromServer } = await loadReader()
      return readFromServer(ports, settings, caches.upstreams, order)
    },
  }
}
