/**
 * Writes notifications of 2026-07-28. Each is sent on the stream of the request that it belongs to;
 * notifications of a listen stream have the id of the listen request. Bound by MCP 2026-07-28,
 * basic/patterns/progress, basic/patterns/subscriptions and server/utilities/logging.
 */
import type { Json } from '../../json/json.ts'
import type { IdText } from '../../jsonrpc/message.ts'
import { notificationText, notificationWith, resultTextReply } from '../../jsonrpc/write-message.ts'
import type { LogLevel } from '../intent.ts'
import { LIST_CHANGED_METHOD } from '../methods.ts'
import type { ServerInfo } from '../revision.ts'
import { serverMeta } from './results.ts'

const SUBSCRIPTION_META = '"io.modelcontextprotocol/subscriptionId"'

/** Lists only the notifications that will be sent. */
export function acknowledgedText(id: IdText, toolsListChanged: boolean): string {
  const notifications = toolsListChanged ? { toolsListChanged } : {}
  return notificationWith(
    'notifications/subscriptions/acknowledged',
    `{"_meta":{${SUBSCRIPTION_META}:${id}},"notifications":${JSON.stringify(notifications)}}`,
  )
}

export function changedText(listen: IdText | undefined): string {
  if (listen === undefined) return notificationText(LIST_CHANGED_METHOD)
  return notificationWith(LIST_CHANGED_METHOD, `{"_meta":{${SUBSCRIPTION_META}:${listen}}}`)
}

export function logText(of: { level: LogLevel; logger: string; data: Json }): string {
  return notificationText('notifications/message', of)
}

/** Writes the complete reply that ends a listen stream. */
export function endedText(id: IdText, server: ServerInfo): string {
  const meta = JSON.stringify(serverMeta(server)).slice(1)
  const result = `{"resultType":"complete","_meta":{${SUBSCRIPTION_META}:${id},${meta}}`
  return resultTextReply(id, result)
}
