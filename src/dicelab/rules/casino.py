"""What a casino game declares in addition to its rules: its bets, their published edges, profiles, and ruin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from dicelab.errors import InputError, RulesError, unknown
from dicelab.rules.fields import Tally
from dicelab.rules.game import Game
from dicelab.rules.params import Choice, Param


class Casino(Game):
    """Base class of games of money that declare bets, profiles or sessions.

    All attributes are optional. `dicelab.edges` works for any game with a tally ``money``, also for a plain `Game`.

    Attributes
    ----------
    edges_over
        Name of the `Choice` parameter that selects the bet: `dicelab.edges` has a row for each of its values.
    edges_of
        Name of the game that plays a single bet of this one; `dicelab.edges` uses that game instead.
    published
        Published edge and source, by the name of the bet: ``{"pass": ("1.414 %", "who, where")}``.
    edges_whatever
        Names of parameters that don't affect any edge: published edges hold for all of their values.
    ruin
        Name of the outcome in which the money is gone, for `dicelab.session`. The game then has a parameter
        ``bankroll`` and a tally ``money``, the net win.
    profiles
        Named sets of parameter values: ``{"reno": {"bar": "bar2"}}``. ``Craps(profile="reno")`` sets them; parameters
        that are given as well override the profile.

    Examples
    --------
    >>> from dicelab.extras.craps.craps import Craps
    >>> Craps.ruin, Craps.edges_of
    ('ruined', 'craps-bet')
    """

    edges_over: ClassVar[str] = ""
    edges_of: ClassVar[str] = ""
    published: ClassVar[Mapping[str, tuple[str, str]]] = {}
    edges_whatever: ClassVar[tuple[str, ...]] = ()
    ruin: ClassVar[str] = ""
    profiles: ClassVar[Mapping[str, Mapping[str, object]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _check_bets(cls)
        _check_profiles(cls)
        _check_ruin(cls)

    def __init__(self, /, **parameters: object) -> None:
        super().__init__(**_profiled(type(self), parameters))


def casino_of(game: type[Game]) -> type[Casino]:
    """Return the game itself if it is a `Casino`, otherwise `Casino`, whose declarations are all empty."""
    return game if issubclass(game, Casino) else Casino


def _profiled(game: type[Casino], given: dict[str, Any]) -> dict[str, Any]:
    """Return the given parameters, completed by those of the profile that ``profile`` names, if any."""
    if "profile" not in given or not game.profiles:
        return given
    profile = given["profile"]
    if not isinstance(profile, str) or profile not in game.profiles:
        raise unknown(f"profile of {game.name}", str(profile), game.profiles)
    return {**game.profiles[profile], **{name: value for name, value in given.items() if name != "profile"}}


def _check_bets(game: type[Casino]) -> None:
    """Refuse ``edges_over`` that isn't a `Choice`, and published edges of unknown bets."""
    params, over, bets = game.declared.params, game.edges_over, [game.name]
    if over:
        choice = params.get(over)
        if not isinstance(choice, Choice):
            raise RulesError(f"{game.name}: edges_over = {over!r}; it must be the name of a parameter that is a Choice")
        bets = list(choice.names)
    for name in game.edges_whatever:
        if name not in params:
            raise RulesError(f"{game.name}: edges_whatever: {unknown('parameter', str(name), params)}")
    for bet, figure in dict(vars(game).get("published", {})).items():
        if bet not in bets:
            raise RulesError(f"{game.name}: published: {unknown('bet', str(bet), bets)}")
        if not isinstance(figure, tuple) or len(figure) != 2 or not all(isinstance(text, str) for text in figure):
            raise RulesError(f'{game.name}: published: {bet}: {figure!r}; it must be two texts: ("1.414 %", "where")')


def _check_profiles(game: type[Casino]) -> None:
    """Refuse profiles with unknown parameters, or with values that a parameter does not accept."""
    params = game.declared.params
    for profile, values in game.profiles.items():
        if not isinstance(values, Mapping):
            raise RulesError(
                f'{game.name}: profile {profile}: {values!r}; it must map parameters to values: {{"bar": "bar2"}}'
            )
        for name, value in values.items():
            try:
                if name not in params:
                    raise unknown("parameter", name, params)
                params[name].accept(value)
            except InputError as error:
                raise RulesError(f"{game.name}: profile {profile}: {error}") from None


def _check_ruin(game: type[Casino]) -> None:
    """Refuse ``ruin`` that is not an outcome, or without a parameter ``bankroll`` and a tally ``money``."""
    if not game.ruin:
        return
    outcomes, bankroll = game.outcomes or (), game.declared.params.get("bankroll")
    if game.ruin not in outcomes:
        raise RulesError(f"{game.name}: ruin: {unknown('outcome', str(game.ruin), outcomes)}")
    if getattr(bankroll, "kind", "") != Param.kind:
        raise RulesError(f"{game.name}: ruin = {game.ruin!r}; a game with ruin needs a parameter bankroll, a Param")
    if type(game.declared.tallies.get("money")) is not Tally:
        raise RulesError(f"{game.name}: ruin = {game.ruin!r}; a game with ruin needs a Tally money, the net win")
