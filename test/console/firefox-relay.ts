#!/usr/bin/env node
/**
 * Firefox as a program that Playwright starts: Debian's Firefox, behind a relay of WebDriver BiDi.
 * Playwright speaks a newer form of it than Firefox 153: it sends each window a command for colours
 * and print, which the relay answers, so these stay as they are; and it takes a download by an id,
 * for which the relay takes the download's URL. All else passes through as it is.
 *
 *   Playwright ─▶ relay on a port of its own ─▶ Firefox
 *
 * Ends with Firefox, and ends it when it is told to end.
 */
import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { WebSocket, WebSocketServer } from 'ws'
import { findProgram } from './programs.ts'

const LISTENS = /^WebDriver BiDi listening on (ws:\/\/\S+)$/
const UNKNOWN = 'emulation.setMediaFeaturesOverride'
const DOWNLOADS = ['browsingContext.downloadWillBegin', 'browsingContext.downloadEnd']

const firefox = spawn(findProgram('firefox'), process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
})
firefox.once('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => firefox.kill(signal))
process.once('exit', () => firefox.kill('SIGKILL'))
createInterface({ input: firefox.stderr }).on('line', (line) => {
  const address = LISTENS.exec(line)?.[1]
  if (address === undefined) say(line)
  else listen(address)
})

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Opens the port and tells it, in the words in which Firefox told its own. */
function listen(address: string): void {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.once('listening', () => {
    const { port } = server.address() as AddressInfo
    say(`WebDriver BiDi listening on ws://127.0.0.1:${port}`)
  })
  server.on('connection', (client, { url }) => relay(client, `${address}${url}`))
}

function relay(client: WebSocket, url: string): void {
  const browser = new WebSocket(url, { perMessageDeflate: false })
  const opened = new Promise((resolve) => browser.once('open', resolve))
  client.on('message', async (data) => {
    const text = String(data)
    const { id, method } = JSON.parse(text)
    if (method === UNKNOWN) {
      client.send(JSON.stringify({ type: 'success', id, result: {} }))
    } else {
      await opened
      browser.send(text)
    }
  })
  browser.on('message', (data) => client.send(nameDownload(String(data))))
  browser.on('error', ({ message }) => say(message))
  browser.on('close', () => client.close())
  client.on('close', () => browser.close())
}

/** Gives an event of a download an id; other texts stay as they are. */
function nameDownload(text: string): string {
  if (!DOWNLOADS.some((name) => text.includes(name))) return text
  const { params, ...event } = JSON.parse(text)
  if (!DOWNLOADS.includes(event.method)) return text
  return JSON.stringify({ ...event, params: { download: params.url, ...params } })
}
