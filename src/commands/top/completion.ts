import { usage } from "../../errors.ts";
import { arg, define } from "../define.ts";

/** Each script hands the words so far to `playtest __complete` and offers the lines it prints: word, tab, summary. */
const scripts: Record<string, string> = {
  bash: `_playtest() {
  local IFS=$'\\n'
  COMPREPLY=($(playtest __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _playtest playtest
`,
  zsh: `#compdef playtest
_playtest() {
  local -a lines options
  lines=("\${(@f)$(playtest __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  local line
  for line in $lines; do
    [[ -n $line ]] && options+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( $#options )) && _describe playtest options || _files
}
compdef _playtest playtest
`,
  fish: `complete -c playtest -f -a '(playtest __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName playtest -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '""' }
  playtest __complete -- @words 2>$null | ForEach-Object {
    $parts = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', ($parts[1] ?? $parts[0]))
  }
}
`,
};

export const completion = define({
  name: "completion",
  summary: "Print the completion script for your shell",
  args: { shell: arg.text(Object.keys(scripts).join(", ")) },
  examples: ["source <(playtest completion bash)", "playtest completion fish > ~/.config/fish/completions/playtest.fish"],
  async run({ args }, ctx) {
    const script = Object.hasOwn(scripts, args.shell) ? scripts[args.shell] : undefined;
    if (script === undefined)
      throw usage(`There is no completion for ${args.shell}.`, `Shells: ${Object.keys(scripts).join(", ")}.`);
    return ctx.text(script, { shell: args.shell, script });
  },
});
