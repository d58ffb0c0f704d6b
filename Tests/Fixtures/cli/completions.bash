# bash completion for whisper-local
_whisper_local() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'transcribe live dictate history models bench doctor completions --help --version' -- "$word")); return
    fi
    case ${COMP_WORDS[1]} in
    transcribe)
        case $before in
        --model|-m) COMPREPLY=($(compgen -f -- "$word")); return;;
        --model-dir) COMPREPLY=($(compgen -d -- "$word")); return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --task) COMPREPLY=($(compgen -W 'transcribe translate' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas onednn reference' -- "$word")); return;;
        --threads|-t) COMPREPLY=(); return;;
        --raw) COMPREPLY=(); return;;
        --track) COMPREPLY=(); return;;
        --channels) COMPREPLY=($(compgen -W 'mix split' -- "$word")); return;;
        --speaker-names) COMPREPLY=(); return;;
        --offset) COMPREPLY=(); return;;
        --duration) COMPREPLY=(); return;;
        --clip-timestamps) COMPREPLY=(); return;;
        --audio-ctx) COMPREPLY=($(compgen -W 'auto full' -- "$word")); return;;
        --vad-model) COMPREPLY=($(compgen -W 'energy silero' -- "$word")); return;;
        --vad-threshold) COMPREPLY=(); return;;
        --vad-min-speech-ms) COMPREPLY=(); return;;
        --vad-min-silence-ms) COMPREPLY=(); return;;
        --vad-speech-pad-ms) COMPREPLY=(); return;;
        --beam-size) COMPREPLY=(); return;;
        --best-of) COMPREPLY=(); return;;
        --patience) COMPREPLY=(); return;;
        --length-penalty) COMPREPLY=(); return;;
        --temperature) COMPREPLY=(); return;;
        --temperature-increment-on-fallback) COMPREPLY=(); return;;
        --seed) COMPREPLY=(); return;;
        --compression-ratio-threshold) COMPREPLY=(); return;;
        --logprob-threshold) COMPREPLY=(); return;;
        --no-speech-threshold) COMPREPLY=(); return;;
        --repetition-penalty) COMPREPLY=(); return;;
        --no-repeat-ngram-size) COMPREPLY=(); return;;
        --max-new-tokens) COMPREPLY=(); return;;
        --batch-size) COMPREPLY=(); return;;
        --initial-prompt) COMPREPLY=(); return;;
        --prefix) COMPREPLY=(); return;;
        --hotwords) COMPREPLY=(); return;;
        --suppress-tokens) COMPREPLY=(); return;;
        --max-initial-timestamp) COMPREPLY=(); return;;
        --prepend-punctuations) COMPREPLY=(); return;;
        --append-punctuations) COMPREPLY=(); return;;
        --hallucination-silence-threshold) COMPREPLY=(); return;;
        --max-line-width) COMPREPLY=(); return;;
        --max-line-count) COMPREPLY=(); return;;
        --max-words-per-line) COMPREPLY=(); return;;
        --output-format|-f) COMPREPLY=($(compgen -W 'all txt srt vtt tsv json csv lrc' -- "$word")); return;;
        --output-dir|-o) COMPREPLY=($(compgen -d -- "$word")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return;;
        --device) COMPREPLY=($(compgen -W 'cpu' -- "$word")); return;;
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --task --translate --compute-type --backend --threads -t --raw --track --channels --speaker-names --offset --duration --clip-timestamps --audio-ctx --vad-filter --vad-model --vad-threshold --vad-min-speech-ms --vad-min-silence-ms --vad-speech-pad-ms --beam-size --best-of --patience --length-penalty --temperature --temperature-increment-on-fallback --seed --compression-ratio-threshold --logprob-threshold --no-speech-threshold --repetition-penalty --no-repeat-ngram-size --guard --max-new-tokens --batch-size --initial-prompt --carry-initial-prompt --prefix --hotwords --condition-on-previous-text --suppress-tokens --no-suppress-blank --max-initial-timestamp --without-timestamps --word-timestamps --prepend-punctuations --append-punctuations --hallucination-silence-threshold --highlight-words --max-line-width --max-line-count --max-words-per-line --output-format -f --output-dir -o --no-timestamps --skip-existing --print-colors --color --quiet -q --verbose -v --no-progress --device --fp16 --no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=($(compgen -f -- "$word"));
        esac;;
    live)
        case $before in
        --model|-m) COMPREPLY=($(compgen -f -- "$word")); return;;
        --model-dir) COMPREPLY=($(compgen -d -- "$word")); return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --task) COMPREPLY=($(compgen -W 'transcribe translate' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas onednn reference' -- "$word")); return;;
        --threads|-t) COMPREPLY=(); return;;
        --device) COMPREPLY=(); return;;
        --file) COMPREPLY=($(compgen -f -- "$word")); return;;
        --raw) COMPREPLY=(); return;;
        --speed) COMPREPLY=($(compgen -W '1 2 max' -- "$word")); return;;
        --duration) COMPREPLY=(); return;;
        --commit) COMPREPLY=($(compgen -W 'utterance agree align' -- "$word")); return;;
        --step) COMPREPLY=(); return;;
        --vad-model) COMPREPLY=($(compgen -W 'energy silero' -- "$word")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return;;
        --session) COMPREPLY=(); return;;
        --save-audio) COMPREPLY=($(compgen -f -- "$word")); return;;
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --task --translate --compute-type --backend --threads -t --device --file --raw --list-devices --speed --duration --commit --step --deterministic --vad-model --no-vad --no-context --no-phrase-filter --json --no-timestamps --color --quiet -q --verbose -v --session --show-unsaved --save-audio --keep-audio --no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=();
        esac;;
    dictate)
        case $before in
        --model|-m) COMPREPLY=($(compgen -f -- "$word")); return;;
        --model-dir) COMPREPLY=($(compgen -d -- "$word")); return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --task) COMPREPLY=($(compgen -W 'transcribe translate' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas onednn reference' -- "$word")); return;;
        --threads|-t) COMPREPLY=(); return;;
        --device) COMPREPLY=(); return;;
        --file) COMPREPLY=($(compgen -f -- "$word")); return;;
        --raw) COMPREPLY=(); return;;
        --pid-file) COMPREPLY=($(compgen -f -- "$word")); return;;
        --vad-model) COMPREPLY=($(compgen -W 'energy silero' -- "$word")); return;;
        --deliver) COMPREPLY=(); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return;;
        --session) COMPREPLY=(); return;;
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --task --translate --compute-type --backend --threads -t --device --file --raw --close-device --toggle --bell --pid-file --vad-model --no-vad --no-context --no-phrase-filter --copy --deliver --append-space --color --quiet -q --verbose -v --session --no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=();
        esac;;
    history)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'list show export search delete recover --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        list)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        show)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-timestamps --wall-clock --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        export)
            case $before in
            --max-line-width) COMPREPLY=(); return;;
            --max-line-count) COMPREPLY=(); return;;
            --max-words-per-line) COMPREPLY=(); return;;
            --output-format|-f) COMPREPLY=($(compgen -W 'all txt srt vtt tsv json csv lrc' -- "$word")); return;;
            --output-dir|-o) COMPREPLY=($(compgen -d -- "$word")); return;;
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--highlight-words --max-line-width --max-line-count --max-words-per-line --output-format -f --output-dir -o --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        search)
            case $before in
            --limit) COMPREPLY=(); return;;
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--raw --substring --limit --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        delete)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--yes -y --vacuum --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        recover)
            case $before in
            --model|-m) COMPREPLY=($(compgen -f -- "$word")); return;;
            --model-dir) COMPREPLY=($(compgen -d -- "$word")); return;;
            --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
            --backend) COMPREPLY=($(compgen -W 'auto openblas onednn reference' -- "$word")); return;;
            --threads|-t) COMPREPLY=(); return;;
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--model -m --model-dir --compute-type --backend --threads -t --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        esac;;
    models)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'list pull info path verify convert remove --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        list)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        pull)
            case $before in
            --model-dir) COMPREPLY=($(compgen -d -- "$word")); return;;
            --sha256) COMPREPLY=(); return;;
            --timeout) COMPREPLY=(); return;;
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--model-dir --sha256 --timeout --quiet -q --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=($(compgen -W 'tiny.en tiny base.en base small.en small medium.en medium large-v3-turbo-q5_0 large-v3-turbo large-v1 large-v2-q5_0 large-v2 large-v3-q5_0 large-v3' -- "$word"));
            esac;;
        info)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=($(compgen -f -- "$word"));
            esac;;
        path)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        verify)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=($(compgen -f -- "$word"));
            esac;;
        convert)
            case $before in
            --type) COMPREPLY=($(compgen -W 'f32 f16 bf16 q8_0 q5_0 q5_1 q4_0 q4_1' -- "$word")); return;;
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--type --force -f --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=($(compgen -f -- "$word"));
            esac;;
        remove)
            case $before in
            esac
            case $word in
            -*) COMPREPLY=($(compgen -W '--yes -y --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=();
            esac;;
        esac;;
    bench)
        case $before in
        --model|-m) COMPREPLY=($(compgen -f -- "$word")); return;;
        --model-dir) COMPREPLY=($(compgen -d -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas onednn reference' -- "$word")); return;;
        --threads|-t) COMPREPLY=(); return;;
        --tokens) COMPREPLY=(); return;;
        --beam-size) COMPREPLY=(); return;;
        --rounds) COMPREPLY=(); return;;
        --hours) COMPREPLY=(); return;;
        --commit) COMPREPLY=($(compgen -W 'utterance agree align' -- "$word")); return;;
        --step) COMPREPLY=(); return;;
        --guard) COMPREPLY=(); return;;
        --certainty) COMPREPLY=(); return;;
        --patience) COMPREPLY=(); return;;
        --shown-certainty) COMPREPLY=(); return;;
        --margin) COMPREPLY=(); return;;
        --vad-model) COMPREPLY=($(compgen -W 'energy silero' -- "$word")); return;;
        --texts) COMPREPLY=($(compgen -f -- "$word")); return;;
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --compute-type --backend --threads -t --tokens --beam-size --rounds --json --compare --live --hours --commit --step --guard --certainty --patience --shown-certainty --margin --no-draft --vad-model --texts --processor-time --no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=();
        esac;;
    doctor)
        case $before in
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W '--microphone --no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=();
        esac;;
    completions)
        case $before in
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word"));
        esac;;
    esac
}
complete -o filenames -F _whisper_local whisper-local
