/**
 * Answers a call of the built-in tool `<prefix>_issue_key`. Loaded with its first call by
 * execute-built-in.ts.
 */
import type { JsonObject } from '../../json/json.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { issueSubKey as issue, type SubKeyNeeds } from '../users/issue-sub-key.ts'
import type { UserRequest } from './built-in-tool.ts'

/** Returns the key, which is shown only here. Throws `Fault` if the store fails. */
export async function issueSubKey(
  { arguments: args, caller }: UserRequest,
  ports: SubKeyNeeds,
): Promise<ToolResult> {
  const issued = await issue(ports, caller, args)
  if (!issued.ok) {
    const { detail, faults = [] } = issued.error
    const lines = faults.map(({ message, pointer }) => `${pointer.slice(1)}: ${message}.`)
    return makeTextResult([detail, ...lines].join(' '), true)
  }
  const { expiresAtMs, key, keyId } = issued.value
  const shown: JsonObject = {
    key,
    key_id: keyId,
    expires_at: new Date(expiresAtMs).toISOString(),
    note: 'The key is shown only here. It ends after 30 days without use, and with the key that issued it.',
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(shown) }],
    structuredContent: shown,
    isError: false,
  }
}
