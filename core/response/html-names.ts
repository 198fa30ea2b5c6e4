/** Named character references of HTML, for the comparison with secrets (plain-form.ts). */

/** The names that HTML has for ASCII, and those of common letters beyond. */
export const HTML_NAMES: ReadonlyMap<string, number> = new Map(
  (
    'Tab 9 NewLine 10 excl 33 quot 34 QUOT 34 num 35 dollar 36 percnt 37 amp 38 AMP 38 apos 39 ' +
    'lpar 40 rpar 41 ast 42 midast 42 plus 43 comma 44 period 46 sol 47 colon 58 semi 59 lt 60 ' +
    'LT 60 equals 61 gt 62 GT 62 quest 63 commat 64 lsqb 91 lbrack 91 bsol 92 rsqb 93 rbrack 93 ' +
    'Hat 94 lowbar 95 UnderBar 95 grave 96 DiacriticalGrave 96 lcub 123 lbrace 123 verbar 124 ' +
    'vert 124 VerticalLine 124 rcub 125 rbrace 125 nbsp 160 iexcl 161 pound 163 sect 167 ' +
    'copy 169 reg 174 deg 176 szlig 223 auml 228 ouml 246 uuml 252 Auml 196 Ouml 214 Uuml 220 ' +
    'eacute 233 egrave 232 euro 8364'
  )
    .match(/\w+ \d+/g)
    ?.map((pair) => {
      const [name = '', code] = pair.split(' ')
      return [name, Number(code)] as const
    }),
)
