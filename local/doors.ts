/**
 * The deployed doors, wired to each other inside one process: sse hands on to messages, messages
 * calls execute, as on AWS but without the network between them.
 */

import type { StreamingHandler } from '../adapters/http/events.ts'
import { memoryAdminSecrets } from '../adapters/memory/admin-secrets.ts'
import { inProcessExecute } from '../adapters/peers/in-process-execute.ts'
import { inProcessMessages } from '../adapters/peers/in-process-messages.ts'
import type { Ports } from '../core/ports.ts'
import type { Settings } from '../core/settings.ts'
import { adminDoor } from '../lambdas/admin/door.ts'
import { executeDoor } from '../lambdas/execute/door.ts'
import { messagesDoor } from '../lambdas/messages/door.ts'
import { sseDoor } from '../lambdas/sse/door.ts'
import type { Credentials } from './credentials.ts'
import type { Doors } from './host.ts'
import type { Running } from './running.ts'

export function makeDoors(
  ports: Omit<Ports, 'adminSecrets' | 'execute' | 'messages'>,
  settings: Settings,
  credentials: Credentials,
  running: Running,
): Doors {
  const log = { log: ports.log }
  const execute = executeDoor(ports, settings)
  const withExecute = { ...ports, execute: inProcessExecute(tracked(execute, running), log) }
  const messages = messagesDoor(withExecute, settings)
  const all = { ...withExecute, messages: inProcessMessages(tracked(messages, running), log) }
  const adminSecrets = memoryAdminSecrets({
    internalApiSecrets: [credentials.internalApiSecret],
    adminKeys: [credentials.adminKey],
  })
  return {
    sse: sseDoor(all, settings),
    execute,
    admin: adminDoor({ ...all, adminSecrets }, settings),
  }
}

/** Work behind an answer counts as under way too: a stop waits for it. */
function tracked(handler: StreamingHandler, running: Running): StreamingHandler {
  return (event, out, context) => running.track(handler(event, out, context))
}
