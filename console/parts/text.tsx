/**
 * Shows values. Texts of strangers become text nodes in which hidden characters are visible.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { escapeHiddenText } from '../../core/json/visible-text.ts'

/** A text that anybody may have written. */
export function Text({ of }: { of: unknown }) {
  return <>{toShown(of)}</>
}

/** Returns a value as text for a person, with hidden characters as escapes. */
export function toShown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return escapeHiddenText(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A value that a person copies, such as an id. */
export function Code({ of }: { of: unknown }) {
  return <code>{toShown(of)}</code>
}

const CREDITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 })
const COUNT = new Intl.NumberFormat()

export function formatCredits(value: unknown): string {
  return typeof value === 'number' ? CREDITS.format(value) : toShown(value)
}

export function formatCount(value: unknown): string {
  return typeof value === 'number' ? COUNT.format(value) : toShown(value)
}

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A moment in the reader's zone, and in UTC for a mouse or a screen reader. */
export function Time({ ms }: { ms: unknown }) {
  if (typeof ms !== 'number') return null
  const at = new Date(ms)
  const utc = at.toISOString()
  return (
    <time dateTime={utc} title={`${utc.slice(0, 19).replace('T', ' ')} UTC`}>
      {DAY_AND_TIME.format(at)}
    </time>
  )
}

/** {@link Time}, {@link Code} and {@link State} for a column of a table. */
export const toTime = (ms: unknown) => <Time ms={ms} />
export const toCode = (of: unknown) => <Code of={of} />
export const toState = (of: unknown) => <State of={of} />

const GOOD = /^(active|settled|ok|approved|delivered|closed|served|whole|done|off)$/
const BAD =
  /^(refunded|disabled|delet|fail|refused|flagged|broken|wrong$|on$|upstream|timed|crashed|internal|invalid|secret)/

/** A word of a closed vocabulary, coloured by its meaning. */
export function State({ of }: { of: unknown }) {
  const word = toShown(of).replaceAll('_', ' ')
  const tone = GOOD.test(word) ? 'good' : BAD.test(word) ? 'bad' : 'plain'
  return <span class={`state ${tone}`}>{word}</span>
}

/** Copies a text; says so for a moment. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" class="quiet" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}

/** A link to another page of the console. */
export function Link({ href, children }: { href: string; children: ComponentChildren }) {
  return <a href={href}>{children}</a>
}

/** A block of text that keeps its lines, such as JSON. */
export function Block({ text, label }: { text: string; label: string }) {
  return (
    <section class="block" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard. */}
      <pre tabIndex={0}>{toShown(text)}</pre>
    </section>
  )
}
