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
  local line about
  for line in $lines; do
    about=\${line#*$'\\t'}
    [[ -n $line ]] && options+=("\${\${line%%$'\\t'*}//:/\\\\:}\${about:+:$about}")
  done
  (( $#options )) && _describe playtest options || _files
}
compdef _playtest playtest
`,
  fish: `function __playtest_complete
  set -l lines (playtest __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q lines[1]
    printf '%s\\n' $lines
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c playtest -f -a '(__playtest_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName playtest -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $position } | ForEach-Object { $_.ToString() })
  $next = if ($word -eq '') { @('--next') } else { @() }
  playtest __complete @next -- @words 2>$null | ForEach-Object {
    $parts = $_ -split "\`t", 2
    $about = if ($parts[1]) { $parts[1] } else { $parts[0] }
    [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $about)
  }
}
`,
};

export const completion = define({
  name: "completion",
  summary: "Print the completion script for your shell",
  args: { shell: arg.choice(Object.keys(scripts)) },
  examples: ["source <(playtest completion bash)", "playtest completion fish > ~/.config/fish/completions/playtest.fish"],
  async run({ args }, ctx) {
    const script = Object.hasOwn(scripts, args.shell) ? scripts[args.shell] : undefined;
    if (script === undefined)
      throw usage(`There is no completion for ${args.shell}.`, `Shells: ${Object.keys(scripts).join(", ")}.`);
    return ctx.text(script, { shell: args.shell, script });
  },
});
