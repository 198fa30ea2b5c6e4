/**
 * Writes notifications of 2026-07-28. Each is sent on the stream of the request that it belongs to;
 * notifications of a listen stream have the id of the listen request. Bound by MCP 2026-07-28,
 * basic/patterns/progress, basic/patterns/subscriptions and server/utilities/logging.
 */
import type { Json } from '../../json/json.ts'
import type { IdText } from '../../jsonrpc/message.ts'
import {
  writeNotification,
  writeNotificationText,
  writeResultText,
} from '../../jsonrpc/write-message.ts'
import type { LogLevel } from '../intent.ts'
import { LIST_CHANGED_METHOD } from '../methods.ts'
import type { SentNotifications, ServerInfo, TaskView } from '../revision.ts'
import { toServerMeta, toTaskMembers } from './results.ts'

const SUBSCRIPTION_META = '"io.modelcontextprotocol/subscriptionId"'

/** Lists only the notifications that will be sent. */
export function writeListenAcknowledged(
  id: IdText,
  { taskIds, toolsListChanged }: SentNotifications,
): string {
  const notifications = {
    ...(toolsListChanged ? { toolsListChanged } : {}),
    ...(taskIds === undefined ? {} : { taskIds }),
  }
  return writeNotificationText(
    'notifications/subscriptions/acknowledged',
    `{"_meta":{${SUBSCRIPTION_META}:${id}},"notifications":${JSON.stringify(notifications)}}`,
  )
}

export function writeToolsChanged(listen: IdText | undefined): string {
  if (listen === undefined) return writeNotification(LIST_CHANGED_METHOD)
  return writeNotificationText(LIST_CHANGED_METHOD, `{"_meta":{${SUBSCRIPTION_META}:${listen}}}`)
}

/** The whole task, as tasks/get has it. */
export function writeTaskChanged(listen: IdText, task: TaskView): string {
  const members = JSON.stringify(toTaskMembers(task)).slice(1)
  return writeNotificationText(
    'notifications/tasks',
    `{"_meta":{${SUBSCRIPTION_META}:${listen}},${members}`,
  )
}

export function writeLog(of: { level: LogLevel; logger: string; data: Json }): string {
  return writeNotification('notifications/message', of)
}

/** Writes the complete reply that ends a listen stream. */
export function writeListenEnded(id: IdText, server: ServerInfo): string {
  const meta = JSON.stringify(toServerMeta(server)).slice(1)
  const result = `{"resultType":"complete","_meta":{${SUBSCRIPTION_META}:${id},${meta}}`
  return writeResultText(id, result)
}
