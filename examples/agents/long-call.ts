/**
 * An agent that calls a tool which may take minutes, with fetch alone. It takes a task for an answer,
 * asks for it until it has ended, and prints the result.
 *   long-call.ts TOOL JSON
 * SKILLGATE_KEY is the API key; SKILLGATE_MCP_URL is the address of the gateway's MCP endpoint.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const { SKILLGATE_KEY, SKILLGATE_MCP_URL = 'http://127.0.0.1:8787/mcp' } = process.env
const [name = '', json = '{}'] = process.argv.slice(2)

const REVISION = '2026-07-28'
/** Each request declares the extension; without it, the gateway answers within 15 s. */
const _meta = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

/** The header Mcp-Name is the tool of a call, and the task of the other requests. */
async function send(method: string, mcpName: string, params: object) {
  const response = await fetch(SKILLGATE_MCP_URL, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SKILLGATE_KEY}`,
      'content-type': 'application/json',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      'mcp-name': mcpName,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  const { error, result } = JSON.parse(await response.text())
  if (error !== undefined) throw new Error(error.message)
  return result
}

const answer = await send('tools/call', name, { name, arguments: JSON.parse(json) })
let task = answer.resultType === 'task' ? answer : { status: 'completed', result: answer }
if (answer.resultType === 'task') console.log('task:', task.taskId)
while (task.status === 'working') {
  await sleep(task.pollIntervalMs)
  task = await send('tasks/get', task.taskId, { taskId: task.taskId })
}

// A tool that failed has completed with isError, and was refunded. `failed` has no result.
if (task.status === 'completed') {
  const { content, isError } = task.result
  console.log(isError === true ? 'failed:' : 'answer:', JSON.stringify(content))
} else console.log(`${task.status}:`, task.error?.message ?? '')
